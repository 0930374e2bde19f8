// In: any bytes. Each function that the reader names must lie within the bytes, and must have a number of
// registers that a thread can have. All names together have a limit, however often one is named.
#include "virtual-hopper/base/cubin.h"

#include <stdlib.h>
#include <string.h>

struct bytes {
  const uint8_t *from;
  size_t length, named;
};

static void check(void *context, const struct cubin_kernel *kernel) {
  struct bytes *b = context;
  const uint8_t *name = (const uint8_t *)kernel->name;
  if (name < b->from || name >= b->from + b->length) abort();
  if (name + strlen(kernel->name) >= b->from + b->length) abort();
  b->named += strlen(kernel->name) + 1;
  if (b->named > CUBIN_MOST_TEXT) abort();
  if (!kernel->registers || kernel->registers > 255) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  struct bytes b = {bytes, length, 0};
  cubin_each(bytes, length, check, &b);
  const int level = cubin_level(bytes, length);
  if (level < CUBIN_NO_LEVEL || level > 9) abort();
  return 0;
}
