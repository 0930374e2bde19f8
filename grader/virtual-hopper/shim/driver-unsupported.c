// The functions of CUDA's driver that this library exports but does not implement. Each call prints one line
// on stderr and is recorded in the device's report. The run then ends with status 69. In: any arguments; out:
// CUDA_ERROR_NOT_SUPPORTED.
#include "virtual-hopper/shim/client.h"

// The functions ignore their arguments. The calling conventions of x86-64 and aarch64 allow that.
#define UNSUPPORTED(name)             \
  EXPORT int name(void);              \
  EXPORT int name(void) {             \
    return client_unsupported(#name); \
  }
#include "virtual-hopper/shim/driver-unsupported.def"
