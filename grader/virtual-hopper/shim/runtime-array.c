// CUDA arrays: made, copied to and from. In: the program's extents, offsets and pointers; out: CUDA errors.
// An array's rows lie in device memory one behind the other, so every copy becomes copies of rows.
#include "virtual-hopper/shim/runtime-array.h"

#include <stdlib.h>
#include <string.h>

// CUDA calls the copies of bytes in a row deprecated, and programs go on using them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { ARRAY_MAGIC = 0x79617272, ROW_UNIT = 256 };

struct runtime_array *runtime_array(const void *handle) {
  struct runtime_array *a = (struct runtime_array *)(uintptr_t)handle;
  return a && a->magic == ARRAY_MAGIC ? a : NULL;
}

uint32_t runtime_texel(const struct cudaChannelFormatDesc *texel, struct texture_object *object) {
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

static uint32_t texel_bytes(const struct cudaChannelFormatDesc *texel) {
  struct texture_object unused;
  return runtime_texel(texel, &unused);
}

static size_t row_bytes(const struct runtime_array *a) {
  return a->extent.width * texel_bytes(&a->texel);
}

// ---- made -------------------------------------------------------------------------------------------------

static int make_array(cudaArray_t *made, const struct cudaChannelFormatDesc *texel, struct cudaExtent extent,
                      unsigned flags) {
  enum { CUBE_FACES = 6 };
  const unsigned known =
      cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayCubemap;
  const bool cube = flags & cudaArrayCubemap;
  if (!made || !texel) return cudaErrorInvalidValue;
  *made = NULL;
  const uint32_t bytes = texel_bytes(texel);
  if (flags & ~known) return client_unsupported("an array with the flags 0x%x", flags & ~known);
  if (cube && flags & cudaArrayLayered) return client_unsupported("an array of layered cube maps");
  if (cube && (extent.width != extent.height || extent.depth != CUBE_FACES)) return cudaErrorInvalidValue;
  if (!bytes) return cudaErrorInvalidChannelDescriptor;
  struct runtime_array a = {.magic = ARRAY_MAGIC, .flags = flags, .texel = *texel, .extent = extent};
  size_t all;
  if (!extent.width || extent.width > UINT32_MAX / 64 || extent.height > UINT32_MAX ||
      extent.depth > UINT32_MAX || (extent.depth && !extent.height && !(flags & cudaArrayLayered)))
    return cudaErrorInvalidValue;
  a.pitch = (extent.width * bytes + ROW_UNIT - 1) / ROW_UNIT * ROW_UNIT;
  if (__builtin_mul_overflow(a.pitch, runtime_rows(&a), &a.slice) ||
      __builtin_mul_overflow(a.slice, runtime_slices(&a), &all))
    return cudaErrorMemoryAllocation;
  int status = client_capture_unsafe();
  if (!status) status = client_allocate(&a.address, all, 0);
  if (status) return status;
  struct runtime_array *kept = malloc(sizeof *kept);
  if (!kept) {
    client_free(a.address, 0);
    return cudaErrorMemoryAllocation;
  }
  *kept = a;
  *made = (cudaArray_t)kept;
  return 0;
}

EXPORT cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *texel,
                                   size_t width, size_t height, unsigned flags) {
  return runtime_used(make_array(array, texel, (struct cudaExtent){width, height, 0}, flags));
}

EXPORT cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *texel,
                                     struct cudaExtent extent, unsigned flags) {
  return runtime_used(make_array(array, texel, extent, flags));
}

EXPORT cudaError_t cudaFreeArray(cudaArray_t array) {
  if (!array) return runtime_waited(client_connect());
  struct runtime_array *a = runtime_array(array);
  if (!a) return runtime_result(cudaErrorInvalidValue);
  int status = client_capture_unsafe();
  if (!status) status = client_free(a->address, 0);
  if (!status) {
    a->magic = 0;
    free(a);
  }
  return runtime_waited(status);
}

EXPORT cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *texel, struct cudaExtent *extent,
                                    unsigned *flags, cudaArray_t array) {
  const struct runtime_array *a = runtime_array(array);
  if (!a) return runtime_result(cudaErrorInvalidResourceHandle);
  if (texel) *texel = a->texel;
  if (extent) *extent = a->extent;
  if (flags) *flags = a->flags;
  return runtime_used(0);
}

EXPORT cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *texel, cudaArray_const_t array) {
  const struct runtime_array *a = runtime_array(array);
  if (!a || !texel) return runtime_result(cudaErrorInvalidResourceHandle);
  *texel = a->texel;
  return runtime_used(0);
}

// ---- copies of rectangles ---------------------------------------------------------------------------------

// A place in an array, in bytes and rows.
static char *place_in(const struct runtime_array *a, size_t byte, size_t row) {
  return (char *)(uintptr_t)(a->address + row * a->pitch + byte);
}

static bool has_rectangle(const struct runtime_array *a, size_t byte, size_t row, size_t width,
                          size_t height) {
  return byte <= row_bytes(a) && width <= row_bytes(a) - byte && row <= runtime_rows(a) &&
         height <= runtime_rows(a) - row;
}

static int to_array(cudaArray_t array, size_t byte, size_t row, const void *source, size_t pitch,
                    size_t width, size_t height, enum cudaMemcpyKind kind, uint32_t in) {
  const struct runtime_array *a = runtime_array(array);
  if (!a) return cudaErrorInvalidResourceHandle;
  if (!has_rectangle(a, byte, row, width, height)) return cudaErrorInvalidValue;
  if (width > pitch && height > 1) return cudaErrorInvalidPitchValue;
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  return runtime_transfer(place_in(a, byte, row), a->pitch, source, pitch, width, height, kind, in);
}

static int from_array(void *destination, size_t pitch, cudaArray_const_t array, size_t byte, size_t row,
                      size_t width, size_t height, enum cudaMemcpyKind kind, uint32_t in) {
  const struct runtime_array *a = runtime_array(array);
  if (!a) return cudaErrorInvalidResourceHandle;
  if (!has_rectangle(a, byte, row, width, height)) return cudaErrorInvalidValue;
  if (width > pitch && height > 1) return cudaErrorInvalidPitchValue;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  return runtime_transfer(destination, pitch, place_in(a, byte, row), a->pitch, width, height, kind, in);
}

EXPORT cudaError_t cudaMemcpy2DToArray(cudaArray_t array, size_t byte, size_t row, const void *source,
                                       size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
  return runtime_waited(to_array(array, byte, row, source, pitch, width, height, kind, CLIENT_WAITS));
}
PER_THREAD_DEFAULT(cudaMemcpy2DToArray);

EXPORT cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t byte, size_t row, const void *source,
                                            size_t pitch, size_t width, size_t height,
                                            enum cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status)
                : runtime_used(
                      to_array(array, byte, row, source, pitch, width, height, kind, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpy2DToArrayAsync);

EXPORT cudaError_t cudaMemcpy2DFromArray(void *destination, size_t pitch, cudaArray_const_t array,
                                         size_t byte, size_t row, size_t width, size_t height,
                                         enum cudaMemcpyKind kind) {
  return runtime_waited(from_array(destination, pitch, array, byte, row, width, height, kind, CLIENT_WAITS));
}
PER_THREAD_DEFAULT(cudaMemcpy2DFromArray);

EXPORT cudaError_t cudaMemcpy2DFromArrayAsync(void *destination, size_t pitch, cudaArray_const_t array,
                                              size_t byte, size_t row, size_t width, size_t height,
                                              enum cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status)
                : runtime_used(from_array(destination, pitch, array, byte, row, width, height, kind,
                                          client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpy2DFromArrayAsync);

EXPORT cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_byte, size_t to_row,
                                            cudaArray_const_t from, size_t from_byte, size_t from_row,
                                            size_t width, size_t height, enum cudaMemcpyKind kind) {
  const struct runtime_array *a = runtime_array(to);
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return runtime_result(cudaErrorInvalidMemcpyDirection);
  if (!a || !has_rectangle(a, to_byte, to_row, width, height)) return runtime_result(cudaErrorInvalidValue);
  return runtime_waited(from_array(place_in(a, to_byte, to_row), a->pitch, from, from_byte, from_row, width,
                                   height, cudaMemcpyDeviceToDevice, CLIENT_WAITS));
}
PER_THREAD_DEFAULT(cudaMemcpy2DArrayToArray);

// ---- copies of bytes in a row -----------------------------------------------------------------------------

// One of the two sides of a copy: an array, from a byte of a row on, or memory.
struct side {
  const struct runtime_array *array; // NULL: memory
  char *memory;
  size_t byte, row;
};

// How many bytes of the side lie one behind the other; *at is where.
static size_t run_of(const struct side *s, size_t most, char **at) {
  *at = s->array ? place_in(s->array, s->byte, s->row) : s->memory;
  if (!s->array) return most;
  const size_t left = row_bytes(s->array) - s->byte;
  return left < most ? left : most;
}

static void advance(struct side *s, size_t bytes) {
  s->byte += bytes;
  s->memory += bytes;
  if (!s->array || s->byte < row_bytes(s->array)) return;
  s->byte = 0;
  s->row++;
}

static bool has_bytes(const struct side *s, size_t bytes) {
  if (!s->array) return true;
  const size_t row = row_bytes(s->array), rows = runtime_rows(s->array);
  return s->byte < row && s->row < rows && bytes <= (rows - s->row) * row - s->byte;
}

static int copy_bytes(struct side to, struct side from, size_t bytes, enum cudaMemcpyKind kind, uint32_t in) {
  if (!has_bytes(&to, bytes) || !has_bytes(&from, bytes)) return cudaErrorInvalidValue;
  int status = client_connect();
  while (bytes && !status) {
    char *target, *source;
    const size_t most = run_of(&to, bytes, &target), run = run_of(&from, most, &source);
    status = runtime_transfer(target, run, source, run, run, 1, kind, in);
    advance(&to, run);
    advance(&from, run);
    bytes -= run;
  }
  return status;
}

static int bytes_to_array(cudaArray_t array, size_t byte, size_t row, const void *source, size_t bytes,
                          enum cudaMemcpyKind kind, uint32_t in) {
  const struct side to = {runtime_array(array), NULL, byte, row},
                    from = {NULL, (char *)(uintptr_t)source, 0, 0};
  return to.array ? copy_bytes(to, from, bytes, kind, in) : cudaErrorInvalidResourceHandle;
}

static int bytes_from_array(void *destination, cudaArray_const_t array, size_t byte, size_t row, size_t bytes,
                            enum cudaMemcpyKind kind, uint32_t in) {
  const struct side to = {NULL, destination, 0, 0}, from = {runtime_array(array), NULL, byte, row};
  return from.array ? copy_bytes(to, from, bytes, kind, in) : cudaErrorInvalidResourceHandle;
}

EXPORT cudaError_t cudaMemcpyToArray(cudaArray_t array, size_t byte, size_t row, const void *source,
                                     size_t bytes, enum cudaMemcpyKind kind) {
  return runtime_waited(bytes_to_array(array, byte, row, source, bytes, kind, CLIENT_WAITS));
}
PER_THREAD_DEFAULT(cudaMemcpyToArray);

EXPORT cudaError_t cudaMemcpyToArrayAsync(cudaArray_t array, size_t byte, size_t row, const void *source,
                                          size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status)
                : runtime_used(bytes_to_array(array, byte, row, source, bytes, kind, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpyToArrayAsync);

EXPORT cudaError_t cudaMemcpyFromArray(void *destination, cudaArray_const_t array, size_t byte, size_t row,
                                       size_t bytes, enum cudaMemcpyKind kind) {
  return runtime_waited(bytes_from_array(destination, array, byte, row, bytes, kind, CLIENT_WAITS));
}
PER_THREAD_DEFAULT(cudaMemcpyFromArray);

EXPORT cudaError_t cudaMemcpyFromArrayAsync(void *destination, cudaArray_const_t array, size_t byte,
                                            size_t row, size_t bytes, enum cudaMemcpyKind kind,
                                            cudaStream_t stream) {
  const cudaError_t status = runtime_stream_used(stream);
  return status
             ? runtime_result(status)
             : runtime_used(bytes_from_array(destination, array, byte, row, bytes, kind, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpyFromArrayAsync);

EXPORT cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_byte, size_t to_row,
                                          cudaArray_const_t from, size_t from_byte, size_t from_row,
                                          size_t bytes, enum cudaMemcpyKind kind) {
  const struct side target = {runtime_array(to), NULL, to_byte, to_row},
                    source = {runtime_array(from), NULL, from_byte, from_row};
  if (!target.array || !source.array) return runtime_result(cudaErrorInvalidResourceHandle);
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return runtime_result(cudaErrorInvalidMemcpyDirection);
  return runtime_waited(copy_bytes(target, source, bytes, cudaMemcpyDeviceToDevice, CLIENT_WAITS));
}
PER_THREAD_DEFAULT(cudaMemcpyArrayToArray);

// ---- copies in three dimensions ---------------------------------------------------------------------------

// One side of a copy in three dimensions.
struct side_3d {
  char *start;
  size_t pitch, slice;
};

static int array_side(const struct runtime_array *a, struct cudaPos at, struct cudaExtent extent,
                      struct side_3d *side) {
  const size_t texel = texel_bytes(&a->texel);
  const bool fits = has_rectangle(a, at.x * texel, at.y, extent.width * texel, extent.height) &&
                    at.z <= runtime_slices(a) && extent.depth <= runtime_slices(a) - at.z;
  if (!fits) return cudaErrorInvalidValue;
  *side = (struct side_3d){place_in(a, at.x * texel, at.y) + at.z * a->slice, a->pitch, a->slice};
  return 0;
}

static int memory_side(const struct cudaPitchedPtr *p, struct cudaPos at, size_t width,
                       struct cudaExtent extent, struct side_3d *side) {
  const bool fits = width <= p->pitch && at.x <= p->pitch - width &&
                    (extent.depth <= 1 || (extent.height <= p->ysize && at.y <= p->ysize - extent.height));
  const bool empty = !width || !extent.height || !extent.depth;
  if (!fits || (!empty && !p->ptr)) return cudaErrorInvalidValue;
  const size_t slice = p->ysize * p->pitch;
  *side = (struct side_3d){(char *)p->ptr + at.z * slice + at.y * p->pitch + at.x, p->pitch, slice};
  return 0;
}

// With an array, the extent and the array's position count its texels; else they count bytes.
int runtime_box_3d(const struct cudaMemcpy3DParms *p, struct client_box *box) {
  struct side_3d to, from;
  if (!p) return cudaErrorInvalidValue;
  const struct runtime_array *target = runtime_array(p->dstArray), *source = runtime_array(p->srcArray);
  if ((p->dstArray && !target) || (p->srcArray && !source)) return cudaErrorInvalidResourceHandle;
  const struct runtime_array *counts = target ? target : source;
  const size_t width = p->extent.width * (counts ? texel_bytes(&counts->texel) : 1);
  int status = target ? array_side(target, p->dstPos, p->extent, &to)
                      : memory_side(&p->dstPtr, p->dstPos, width, p->extent, &to);
  if (!status)
    status = source ? array_side(source, p->srcPos, p->extent, &from)
                    : memory_side(&p->srcPtr, p->srcPos, width, p->extent, &from);
  if (status) return status;
  *box = (struct client_box){.to = to.start,
                             .from = from.start,
                             .to_pitch = to.pitch,
                             .to_slice = to.slice,
                             .from_pitch = from.pitch,
                             .from_slice = from.slice,
                             .width = width,
                             .rows = p->extent.height,
                             .slices = p->extent.depth,
                             .kind = (int)p->kind};
  return 0;
}
