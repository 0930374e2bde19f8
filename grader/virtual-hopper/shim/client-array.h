// CUDA arrays: rows of texels in device memory, with a description on the host. The runtime's handle and the
// driver's are the same.
#ifndef VIRTUAL_HOPPER_SHIM_CLIENT_ARRAY_H
#define VIRTUAL_HOPPER_SHIM_CLIENT_ARRAY_H

#include <driver_types.h>

#include "virtual-hopper/base/texture.h"
#include "virtual-hopper/shim/client.h"

// cudaArray_t and CUarray point to it.
struct client_array {
  uint32_t magic;
  unsigned flags;
  struct cudaChannelFormatDesc texel;
  struct cudaExtent extent; // as asked for: 0 where there is no such dimension
  uint64_t address, pitch, slice;
};

struct client_array *client_array(const void *handle); // NULL: no array
// Both return CUDA errors. flags: cudaArray.., which count as CUDA_ARRAY3D_.. do.
int client_array_create(struct client_array **made, const struct cudaChannelFormatDesc *texel,
                        struct cudaExtent extent, unsigned flags);
int client_array_destroy(struct client_array *a);
// Fills channels, bits and format. Returns the bytes of a texel; 0: there are no such texels.
uint32_t client_array_texel(const struct cudaChannelFormatDesc *texel, struct texture_object *object);
size_t client_array_texel_bytes(const struct client_array *a);
size_t client_array_row_bytes(const struct client_array *a);
// A place in an array, in bytes, rows and slices.
char *client_array_place(const struct client_array *a, size_t byte, size_t row, size_t slice);
bool client_array_has(const struct client_array *a, size_t byte, size_t row, size_t width, size_t height);
bool client_array_has_slices(const struct client_array *a, size_t slice, size_t count);
static inline size_t client_array_rows(const struct client_array *a) {
  return a->extent.height ? a->extent.height : 1;
}
static inline size_t client_array_slices(const struct client_array *a) {
  return a->extent.depth ? a->extent.depth : 1;
}

#endif
