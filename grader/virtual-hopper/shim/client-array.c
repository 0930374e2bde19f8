// CUDA arrays: made and freed, and where their parts lie. In: descriptions of texels, extents; out: CUDA
// errors. An array's rows lie in device memory one behind the other.
#include "virtual-hopper/shim/client-array.h"

#include <stdlib.h>

enum { ARRAY_MAGIC = 0x79617272, ROW_UNIT = 256 };

struct client_array *client_array(const void *handle) {
  struct client_array *a = (struct client_array *)(uintptr_t)handle;
  return a && a->magic == ARRAY_MAGIC ? a : NULL;
}

uint32_t client_array_texel(const struct cudaChannelFormatDesc *texel, struct texture_object *object) {
  const int bits[] = {texel->x, texel->y, texel->z, texel->w};
  uint32_t channels = 0;
  while (channels < 4 && bits[channels] == bits[0])
    channels++;
  for (uint32_t i = channels; i < 4; i++)
    if (bits[i]) return 0;
  const bool sizes = bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
  if (!sizes || channels == 3 || texel->f < cudaChannelFormatKindSigned ||
      texel->f > cudaChannelFormatKindFloat || (texel->f == cudaChannelFormatKindFloat && bits[0] == 8))
    return 0;
  object->channels = (uint8_t)channels;
  object->bits = (uint8_t)bits[0];
  object->format = (uint8_t)texel->f; // enum texture_format counts as CUDA does
  return channels * (uint32_t)bits[0] / 8;
}

size_t client_array_texel_bytes(const struct client_array *a) {
  struct texture_object unused;
  return client_array_texel(&a->texel, &unused);
}

size_t client_array_row_bytes(const struct client_array *a) {
  return a->extent.width * client_array_texel_bytes(a);
}

char *client_array_place(const struct client_array *a, size_t byte, size_t row, size_t slice) {
  return (char *)(uintptr_t)(a->address + slice * a->slice + row * a->pitch + byte);
}

bool client_array_has(const struct client_array *a, size_t byte, size_t row, size_t width, size_t height) {
  const size_t bytes = client_array_row_bytes(a), rows = client_array_rows(a);
  return byte <= bytes && width <= bytes - byte && row <= rows && height <= rows - row;
}

bool client_array_has_slices(const struct client_array *a, size_t slice, size_t count) {
  return slice <= client_array_slices(a) && count <= client_array_slices(a) - slice;
}

// ---- made -------------------------------------------------------------------------------------------------

int client_array_create(struct client_array **made, const struct cudaChannelFormatDesc *texel,
                        struct cudaExtent extent, unsigned flags) {
  enum { CUBE_FACES = 6 };
  const unsigned known =
      cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayCubemap;
  const bool cube = flags & cudaArrayCubemap;
  if (!made || !texel) return cudaErrorInvalidValue;
  *made = NULL;
  struct texture_object unused;
  const uint32_t bytes = client_array_texel(texel, &unused);
  if (flags & ~known) return client_unsupported("an array with the flags 0x%x", flags & ~known);
  if (cube && flags & cudaArrayLayered) return client_unsupported("an array of layered cube maps");
  if (cube && (extent.width != extent.height || extent.depth != CUBE_FACES)) return cudaErrorInvalidValue;
  if (!bytes) return cudaErrorInvalidChannelDescriptor;
  struct client_array a = {.magic = ARRAY_MAGIC, .flags = flags, .texel = *texel, .extent = extent};
  size_t all;
  if (!extent.width || extent.width > UINT32_MAX / 64 || extent.height > UINT32_MAX ||
      extent.depth > UINT32_MAX || (extent.depth && !extent.height && !(flags & cudaArrayLayered)))
    return cudaErrorInvalidValue;
  a.pitch = (extent.width * bytes + ROW_UNIT - 1) / ROW_UNIT * ROW_UNIT;
  if (__builtin_mul_overflow(a.pitch, client_array_rows(&a), &a.slice) ||
      __builtin_mul_overflow(a.slice, client_array_slices(&a), &all))
    return cudaErrorMemoryAllocation;
  int status = client_capture_unsafe();
  if (!status) status = client_allocate(&a.address, all, 0);
  if (status) return status;
  struct client_array *kept = malloc(sizeof *kept);
  if (!kept) {
    client_free(a.address, 0);
    return cudaErrorMemoryAllocation;
  }
  *kept = a;
  *made = kept;
  return 0;
}

int client_array_destroy(struct client_array *a) {
  int status = client_capture_unsafe();
  if (!status) status = client_free(a->address, 0);
  if (status) return status;
  a->magic = 0;
  free(a);
  return 0;
}
