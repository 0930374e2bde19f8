// The register counts that ptxas chose for kernels, and how far it optimised. Both are read from the machine
// code (an ELF file) that a fat binary holds beside the PTX. All bytes are untrusted.
#ifndef VIRTUAL_HOPPER_BASE_CUBIN_H
#define VIRTUAL_HOPPER_BASE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Many records may name the same symbol, and its name may be as long as the file. So what is read of names,
// each time again, has a limit; it is far above what compilers write.
#ifdef VHOPPER_FUZZ_LIMITS
enum { CUBIN_MOST_TEXT = 1 << 9 };
#else
enum { CUBIN_MOST_TEXT = 64 << 20 };
#endif

struct cubin_kernel {
  const char *name;   // points into the file's bytes; ends in a zero byte
  uint32_t registers; // per thread, 1 to 255
};

// Calls `visit` for each function whose register count the file contains. Returns false when the bytes are no
// such file, or when a part that is read is damaged. Some functions may have been visited before that.
typedef void cubin_visit(void *context, const struct cubin_kernel *kernel);
bool cubin_each(const uint8_t *bytes, size_t length, cubin_visit *visit, void *context);

// The level that ptxas was given (-Xptxas -O1: 1). CUBIN_NO_LEVEL: none is recorded, so its own, 3; or the
// bytes are no such file.
enum { CUBIN_NO_LEVEL = -1 };
int cubin_level(const uint8_t *bytes, size_t length);

#endif
