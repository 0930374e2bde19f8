// Copies in two and three dimensions, and to and from a program's __device__ and __constant__ variables.
// In: the program's pointers, pitches and symbols; out: CUDA errors. Every copy becomes copies of rows
// (runtime_transfer in runtime-memory.c).
#include "virtual-hopper/shim/runtime.h"

// ---- two dimensions ---------------------------------------------------------------------------------------

EXPORT cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source,
                                size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind) {
  if (width > destination_pitch || width > source_pitch) return runtime_result(cudaErrorInvalidPitchValue);
  return runtime_waited(runtime_transfer(destination, destination_pitch, source, source_pitch, width, height,
                                         kind, client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemcpy2D,
                   (void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                    size_t width, size_t height, enum cudaMemcpyKind kind),
                   (destination, destination_pitch, source, source_pitch, width, height, kind))

EXPORT cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source,
                                     size_t source_pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t status = runtime_stream_used(stream);
  if (status) return runtime_result(status);
  if (width > destination_pitch || width > source_pitch) return runtime_result(cudaErrorInvalidPitchValue);
  return runtime_used(runtime_transfer(destination, destination_pitch, source, source_pitch, width, height,
                                       kind, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpy2DAsync,
                  (void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                   size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
                  (destination, destination_pitch, source, source_pitch, width, height, kind, stream))

// ---- three dimensions -------------------------------------------------------------------------------------

static int copy_3d(const struct cudaMemcpy3DParms *p, uint32_t in) {
  struct client_box box;
  const int status = runtime_box_3d(p, &box);
  return status ? status : client_transfer(&box, in);
}

EXPORT cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters) {
  return runtime_waited(copy_3d(parameters, client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemcpy3D, (const struct cudaMemcpy3DParms *parameters), (parameters))

EXPORT cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream) {
  cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status) : runtime_used(copy_3d(parameters, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *parameters, cudaStream_t stream),
                  (parameters, stream))

// ---- symbols ----------------------------------------------------------------------------------------------

static int locate_symbol(const void *symbol, struct protocol_location *location) {
  struct runtime_variable variable;
  if (!runtime_variable(symbol, &variable)) return cudaErrorInvalidSymbol;
  return client_variable(variable.module, variable.name, location);
}

EXPORT cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
  struct protocol_location location = {0};
  if (!pointer) return runtime_result(cudaErrorInvalidValue);
  int status = locate_symbol(symbol, &location);
  *pointer = status ? NULL : (void *)(uintptr_t)location.base;
  return runtime_used(status);
}

EXPORT cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  struct protocol_location location = {0};
  if (!bytes) return runtime_result(cudaErrorInvalidValue);
  int status = locate_symbol(symbol, &location);
  *bytes = status ? 0 : location.bytes;
  return runtime_used(status);
}

static int symbol_part(const void *symbol, size_t offset, size_t bytes, char **address) {
  struct protocol_location location = {0};
  int status = locate_symbol(symbol, &location);
  if (status) return status;
  if (bytes > location.bytes || offset > location.bytes - bytes) return cudaErrorInvalidValue;
  *address = (char *)(uintptr_t)(location.base + offset);
  return 0;
}

int runtime_box_symbol(struct client_box *box, const void *symbol, size_t offset, bool to_symbol) {
  char *address = NULL;
  const int status = symbol_part(symbol, offset, box->width, &address);
  if (status) return status;
  const int wrong = to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
  if (box->kind == wrong || box->kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  if (to_symbol)
    box->to = address;
  else
    box->from = address;
  return box->width && (!box->to || !box->from) ? cudaErrorInvalidValue : 0;
}

static int copy_to_symbol(const void *symbol, const void *source, size_t bytes, size_t offset,
                          enum cudaMemcpyKind kind, uint32_t in) {
  struct client_box box = {.from = source, .width = bytes, .rows = 1, .slices = 1, .kind = (int)kind};
  const int status = runtime_box_symbol(&box, symbol, offset, true);
  return status ? status : client_transfer(&box, in);
}

static int copy_from_symbol(void *destination, const void *symbol, size_t bytes, size_t offset,
                            enum cudaMemcpyKind kind, uint32_t in) {
  struct client_box box = {.to = destination, .width = bytes, .rows = 1, .slices = 1, .kind = (int)kind};
  const int status = runtime_box_symbol(&box, symbol, offset, false);
  return status ? status : client_transfer(&box, in);
}

EXPORT cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *source, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind) {
  return runtime_waited(copy_to_symbol(symbol, source, bytes, offset, kind, client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemcpyToSymbol,
                   (const void *symbol, const void *source, size_t bytes, size_t offset,
                    enum cudaMemcpyKind kind),
                   (symbol, source, bytes, offset, kind))

EXPORT cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *source, size_t bytes,
                                           size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status)
                : runtime_used(copy_to_symbol(symbol, source, bytes, offset, kind, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpyToSymbolAsync,
                  (const void *symbol, const void *source, size_t bytes, size_t offset,
                   enum cudaMemcpyKind kind, cudaStream_t stream),
                  (symbol, source, bytes, offset, kind, stream))

EXPORT cudaError_t cudaMemcpyFromSymbol(void *destination, const void *symbol, size_t bytes, size_t offset,
                                        enum cudaMemcpyKind kind) {
  return runtime_waited(copy_from_symbol(destination, symbol, bytes, offset, kind, client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemcpyFromSymbol,
                   (void *destination, const void *symbol, size_t bytes, size_t offset,
                    enum cudaMemcpyKind kind),
                   (destination, symbol, bytes, offset, kind))

EXPORT cudaError_t cudaMemcpyFromSymbolAsync(void *destination, const void *symbol, size_t bytes,
                                             size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status)
                : runtime_used(copy_from_symbol(destination, symbol, bytes, offset, kind, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpyFromSymbolAsync,
                  (void *destination, const void *symbol, size_t bytes, size_t offset,
                   enum cudaMemcpyKind kind, cudaStream_t stream),
                  (destination, symbol, bytes, offset, kind, stream))
