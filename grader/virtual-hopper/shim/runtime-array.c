// CUDA arrays: made, copied to and from. In: the program's extents, offsets and pointers; out: CUDA errors.
// An array's rows lie in device memory one behind the other, so every copy becomes copies of rows.
#include "virtual-hopper/shim/client-array.h"
#include "virtual-hopper/shim/runtime.h"

// CUDA calls the copies of bytes in a row deprecated, and programs go on using them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

// ---- made -------------------------------------------------------------------------------------------------

static int make_array(cudaArray_t *made, const struct cudaChannelFormatDesc *texel, struct cudaExtent extent,
                      unsigned flags) {
  return client_array_create((struct client_array **)made, texel, extent, flags);
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
  struct client_array *a = client_array(array);
  if (!a) return runtime_result(cudaErrorInvalidValue);
  return runtime_waited(client_array_destroy(a));
}

EXPORT cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *texel, struct cudaExtent *extent,
                                    unsigned *flags, cudaArray_t array) {
  const struct client_array *a = client_array(array);
  if (!a) return runtime_result(cudaErrorInvalidResourceHandle);
  if (texel) *texel = a->texel;
  if (extent) *extent = a->extent;
  if (flags) *flags = a->flags;
  return runtime_used(0);
}

EXPORT cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *texel, cudaArray_const_t array) {
  const struct client_array *a = client_array(array);
  if (!a || !texel) return runtime_result(cudaErrorInvalidResourceHandle);
  *texel = a->texel;
  return runtime_used(0);
}

// ---- copies of rectangles ---------------------------------------------------------------------------------

static int to_array(cudaArray_t array, size_t byte, size_t row, const void *source, size_t pitch,
                    size_t width, size_t height, enum cudaMemcpyKind kind, uint32_t in) {
  const struct client_array *a = client_array(array);
  if (!a) return cudaErrorInvalidResourceHandle;
  if (!client_array_has(a, byte, row, width, height)) return cudaErrorInvalidValue;
  if (width > pitch && height > 1) return cudaErrorInvalidPitchValue;
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  return runtime_transfer(client_array_place(a, byte, row, 0), a->pitch, source, pitch, width, height, kind,
                          in);
}

static int from_array(void *destination, size_t pitch, cudaArray_const_t array, size_t byte, size_t row,
                      size_t width, size_t height, enum cudaMemcpyKind kind, uint32_t in) {
  const struct client_array *a = client_array(array);
  if (!a) return cudaErrorInvalidResourceHandle;
  if (!client_array_has(a, byte, row, width, height)) return cudaErrorInvalidValue;
  if (width > pitch && height > 1) return cudaErrorInvalidPitchValue;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  return runtime_transfer(destination, pitch, client_array_place(a, byte, row, 0), a->pitch, width, height,
                          kind, in);
}

EXPORT cudaError_t cudaMemcpy2DToArray(cudaArray_t array, size_t byte, size_t row, const void *source,
                                       size_t pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
  return runtime_waited(
      to_array(array, byte, row, source, pitch, width, height, kind, client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemcpy2DToArray,
                   (cudaArray_t array, size_t byte, size_t row, const void *source, size_t pitch,
                    size_t width, size_t height, enum cudaMemcpyKind kind),
                   (array, byte, row, source, pitch, width, height, kind))

EXPORT cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t byte, size_t row, const void *source,
                                            size_t pitch, size_t width, size_t height,
                                            enum cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status)
                : runtime_used(
                      to_array(array, byte, row, source, pitch, width, height, kind, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpy2DToArrayAsync,
                  (cudaArray_t array, size_t byte, size_t row, const void *source, size_t pitch, size_t width,
                   size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
                  (array, byte, row, source, pitch, width, height, kind, stream))

EXPORT cudaError_t cudaMemcpy2DFromArray(void *destination, size_t pitch, cudaArray_const_t array,
                                         size_t byte, size_t row, size_t width, size_t height,
                                         enum cudaMemcpyKind kind) {
  return runtime_waited(
      from_array(destination, pitch, array, byte, row, width, height, kind, client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemcpy2DFromArray,
                   (void *destination, size_t pitch, cudaArray_const_t array, size_t byte, size_t row,
                    size_t width, size_t height, enum cudaMemcpyKind kind),
                   (destination, pitch, array, byte, row, width, height, kind))

EXPORT cudaError_t cudaMemcpy2DFromArrayAsync(void *destination, size_t pitch, cudaArray_const_t array,
                                              size_t byte, size_t row, size_t width, size_t height,
                                              enum cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status)
                : runtime_used(from_array(destination, pitch, array, byte, row, width, height, kind,
                                          client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpy2DFromArrayAsync,
                  (void *destination, size_t pitch, cudaArray_const_t array, size_t byte, size_t row,
                   size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
                  (destination, pitch, array, byte, row, width, height, kind, stream))

EXPORT cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_byte, size_t to_row,
                                            cudaArray_const_t from, size_t from_byte, size_t from_row,
                                            size_t width, size_t height, enum cudaMemcpyKind kind) {
  const struct client_array *a = client_array(to);
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return runtime_result(cudaErrorInvalidMemcpyDirection);
  if (!a || !client_array_has(a, to_byte, to_row, width, height))
    return runtime_result(cudaErrorInvalidValue);
  return runtime_waited(from_array(client_array_place(a, to_byte, to_row, 0), a->pitch, from, from_byte,
                                   from_row, width, height, cudaMemcpyDeviceToDevice,
                                   client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemcpy2DArrayToArray,
                   (cudaArray_t to, size_t to_byte, size_t to_row, cudaArray_const_t from, size_t from_byte,
                    size_t from_row, size_t width, size_t height, enum cudaMemcpyKind kind),
                   (to, to_byte, to_row, from, from_byte, from_row, width, height, kind))

// ---- copies of bytes in a row -----------------------------------------------------------------------------

// One of the two sides of a copy: an array, from a byte of a row on, or memory.
struct side {
  const struct client_array *array; // NULL: memory
  char *memory;
  size_t byte, row;
};

// How many bytes of the side lie one behind the other; *at is where.
static size_t run_of(const struct side *s, size_t most, char **at) {
  *at = s->array ? client_array_place(s->array, s->byte, s->row, 0) : s->memory;
  if (!s->array) return most;
  const size_t left = client_array_row_bytes(s->array) - s->byte;
  return left < most ? left : most;
}

static void advance(struct side *s, size_t bytes) {
  s->byte += bytes;
  s->memory += bytes;
  if (!s->array || s->byte < client_array_row_bytes(s->array)) return;
  s->byte = 0;
  s->row++;
}

static bool has_bytes(const struct side *s, size_t bytes) {
  if (!s->array) return true;
  const size_t row = client_array_row_bytes(s->array), rows = client_array_rows(s->array);
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
  const struct side to = {client_array(array), NULL, byte, row},
                    from = {NULL, (char *)(uintptr_t)source, 0, 0};
  return to.array ? copy_bytes(to, from, bytes, kind, in) : cudaErrorInvalidResourceHandle;
}

static int bytes_from_array(void *destination, cudaArray_const_t array, size_t byte, size_t row, size_t bytes,
                            enum cudaMemcpyKind kind, uint32_t in) {
  const struct side to = {NULL, destination, 0, 0}, from = {client_array(array), NULL, byte, row};
  return from.array ? copy_bytes(to, from, bytes, kind, in) : cudaErrorInvalidResourceHandle;
}

EXPORT cudaError_t cudaMemcpyToArray(cudaArray_t array, size_t byte, size_t row, const void *source,
                                     size_t bytes, enum cudaMemcpyKind kind) {
  return runtime_waited(bytes_to_array(array, byte, row, source, bytes, kind, client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemcpyToArray,
                   (cudaArray_t array, size_t byte, size_t row, const void *source, size_t bytes,
                    enum cudaMemcpyKind kind),
                   (array, byte, row, source, bytes, kind))

EXPORT cudaError_t cudaMemcpyToArrayAsync(cudaArray_t array, size_t byte, size_t row, const void *source,
                                          size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status)
                : runtime_used(bytes_to_array(array, byte, row, source, bytes, kind, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpyToArrayAsync,
                  (cudaArray_t array, size_t byte, size_t row, const void *source, size_t bytes,
                   enum cudaMemcpyKind kind, cudaStream_t stream),
                  (array, byte, row, source, bytes, kind, stream))

EXPORT cudaError_t cudaMemcpyFromArray(void *destination, cudaArray_const_t array, size_t byte, size_t row,
                                       size_t bytes, enum cudaMemcpyKind kind) {
  return runtime_waited(bytes_from_array(destination, array, byte, row, bytes, kind, client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemcpyFromArray,
                   (void *destination, cudaArray_const_t array, size_t byte, size_t row, size_t bytes,
                    enum cudaMemcpyKind kind),
                   (destination, array, byte, row, bytes, kind))

EXPORT cudaError_t cudaMemcpyFromArrayAsync(void *destination, cudaArray_const_t array, size_t byte,
                                            size_t row, size_t bytes, enum cudaMemcpyKind kind,
                                            cudaStream_t stream) {
  const cudaError_t status = runtime_stream_used(stream);
  return status
             ? runtime_result(status)
             : runtime_used(bytes_from_array(destination, array, byte, row, bytes, kind, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpyFromArrayAsync,
                  (void *destination, cudaArray_const_t array, size_t byte, size_t row, size_t bytes,
                   enum cudaMemcpyKind kind, cudaStream_t stream),
                  (destination, array, byte, row, bytes, kind, stream))

EXPORT cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_byte, size_t to_row,
                                          cudaArray_const_t from, size_t from_byte, size_t from_row,
                                          size_t bytes, enum cudaMemcpyKind kind) {
  const struct side target = {client_array(to), NULL, to_byte, to_row},
                    source = {client_array(from), NULL, from_byte, from_row};
  if (!target.array || !source.array) return runtime_result(cudaErrorInvalidResourceHandle);
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return runtime_result(cudaErrorInvalidMemcpyDirection);
  return runtime_waited(copy_bytes(target, source, bytes, cudaMemcpyDeviceToDevice, client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemcpyArrayToArray,
                   (cudaArray_t to, size_t to_byte, size_t to_row, cudaArray_const_t from, size_t from_byte,
                    size_t from_row, size_t bytes, enum cudaMemcpyKind kind),
                   (to, to_byte, to_row, from, from_byte, from_row, bytes, kind))

// ---- copies in three dimensions ---------------------------------------------------------------------------

// One side of a copy in three dimensions.
struct side_3d {
  char *start;
  size_t pitch, slice;
};

static int array_side(const struct client_array *a, struct cudaPos at, struct cudaExtent extent,
                      struct side_3d *side) {
  const size_t texel = client_array_texel_bytes(a);
  const bool fits = client_array_has(a, at.x * texel, at.y, extent.width * texel, extent.height) &&
                    client_array_has_slices(a, at.z, extent.depth);
  if (!fits) return cudaErrorInvalidValue;
  *side = (struct side_3d){client_array_place(a, at.x * texel, at.y, at.z), a->pitch, a->slice};
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
  const struct client_array *target = client_array(p->dstArray), *source = client_array(p->srcArray);
  if ((p->dstArray && !target) || (p->srcArray && !source)) return cudaErrorInvalidResourceHandle;
  const struct client_array *counts = target ? target : source;
  const size_t width = p->extent.width * (counts ? client_array_texel_bytes(counts) : 1);
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
