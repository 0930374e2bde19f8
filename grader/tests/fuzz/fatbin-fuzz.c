// In: any bytes. The reader must return PTX that ends in a zero byte, or an error.
#include "virtual-hopper/base/fatbin.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  struct fatbin_error error = {.message = ""};
  size_t ptx_length = 0, may_unpack = FATBIN_LARGEST_PTX;
  char *ptx = fatbin_extract_ptx(bytes, length, &may_unpack, &ptx_length, &error);
  if (ptx && (strlen(ptx) != ptx_length || ptx_length > FATBIN_LARGEST_PTX)) abort();
  if (!ptx && (!error.message[0] || strlen(error.message) >= sizeof error.message)) abort();
  free(ptx);
  if (length < FATBIN_HEADER_BYTES) return 0;
  struct fatbin_error size_error = {.message = ""};
  size_t size = fatbin_total_size(bytes, &size_error);
  if ((size == 0) != (size_error.message[0] != 0) || size > FATBIN_LARGEST) abort();
  return 0;
}
