// Every function of CUDA's runtime that this library knows by name only. Whoever calls one is told so once per call, and the
// device's report has it: the run ends with status 69. In: whatever the program passes; out: cudaErrorNotSupported.
#include "virtual-hopper/shim/runtime-unsupported.h"
#include "virtual-hopper/shim/client.h"

// Arguments are not looked at, which the calling conventions of x86-64 and aarch64 allow.
#define UNSUPPORTED(name)              \
  EXPORT int name(void);               \
  EXPORT int name(void) {              \
    return runtime_unsupported(#name); \
  }
#include "virtual-hopper/shim/runtime-unsupported.def"
