// The driver's linker. In: one text of PTX, or one fat binary. Out: the same, as the image to be loaded.
// There is no machine code here, so nothing is compiled, and several inputs can't be linked.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/shim/driver.h"

enum { LINK_MAGIC = 0x6b6e696c };
struct driver_link {
  uint32_t magic;
  char *image; // NULL: none yet
  size_t bytes;
};

static struct driver_link *checked(CUlinkState state) {
  struct driver_link *link = (struct driver_link *)state;
  return link && link->magic == LINK_MAGIC ? link : NULL;
}

EXPORT CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *made) {
  (void)count, (void)options, (void)values; // for a compiler
  struct driver_link *link = made ? calloc(1, sizeof *link) : NULL;
  if (!link) return made ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
  link->magic = LINK_MAGIC;
  *made = (CUlinkState)link;
  return driver_used(0);
}

static CUresult add(struct driver_link *link, CUjitInputType type, const void *data, size_t bytes) {
  if (!link || !data || !bytes) return link ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY)
    return (CUresult)client_unsupported("linking machine code or a library (cuLinkAddData, cuLinkAddFile)");
  if (link->image) return (CUresult)client_unsupported("linking several inputs (cuLinkAddData)");
  link->image = malloc(bytes + 1);
  if (!link->image) return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy(link->image, data, bytes);
  link->image[bytes] = '\0';
  link->bytes = bytes;
  return driver_used(0);
}

EXPORT CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                                 const char *name, unsigned count, CUjit_option *options, void **values) {
  (void)name, (void)count, (void)options, (void)values;
  return add(checked(state), type, data, bytes);
}

EXPORT CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                                 CUjit_option *options, void **values) {
  (void)count, (void)options, (void)values;
  FILE *file = path ? fopen(path, "rb") : NULL;
  if (!file) return path ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_ERROR_INVALID_VALUE;
  long bytes = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  rewind(file);
  char *data = bytes > 0 ? malloc((size_t)bytes) : NULL;
  const bool whole = data && fread(data, 1, (size_t)bytes, file) == (size_t)bytes;
  fclose(file);
  const CUresult status = whole ? add(checked(state), type, data, (size_t)bytes) : CUDA_ERROR_INVALID_IMAGE;
  free(data);
  return status;
}

EXPORT CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes) {
  struct driver_link *link = checked(state);
  if (!link || !image) return link ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
  if (!link->image) return CUDA_ERROR_INVALID_IMAGE;
  *image = link->image;
  if (bytes) *bytes = link->bytes;
  return driver_used(0);
}

EXPORT CUresult cuLinkDestroy(CUlinkState state) {
  struct driver_link *link = checked(state);
  if (!link) return CUDA_ERROR_INVALID_HANDLE;
  link->magic = 0;
  free(link->image);
  free(link);
  return driver_used(0);
}
