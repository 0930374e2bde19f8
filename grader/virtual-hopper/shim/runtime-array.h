// CUDA arrays: rows of texels in device memory, with a description on the host.
#ifndef VIRTUAL_HOPPER_SHIM_RUNTIME_ARRAY_H
#define VIRTUAL_HOPPER_SHIM_RUNTIME_ARRAY_H

#include "virtual-hopper/base/texture.h"
#include "virtual-hopper/shim/runtime.h"

// cudaArray_t points to it.
struct runtime_array {
  uint32_t magic;
  unsigned flags;
  struct cudaChannelFormatDesc texel;
  struct cudaExtent extent; // as asked for: 0 where there is no such dimension
  uint64_t address, pitch, slice;
};

struct runtime_array *runtime_array(const void *handle); // NULL: no array
// Fills channels, bits and format. Returns the bytes of a texel; 0: there are no such texels.
uint32_t runtime_texel(const struct cudaChannelFormatDesc *texel, struct texture_object *object);
static inline size_t runtime_rows(const struct runtime_array *a) {
  return a->extent.height ? a->extent.height : 1;
}
static inline size_t runtime_slices(const struct runtime_array *a) {
  return a->extent.depth ? a->extent.depth : 1;
}

#endif
