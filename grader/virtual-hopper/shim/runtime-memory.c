// The runtime's memory functions: allocation, copies and fills. In: the program's pointers; out: CUDA errors.
// Every operation completes before its call returns. So the asynchronous forms differ from the others only in
// the errors and the kernels' text that they report.
#include "virtual-hopper/shim/client-graph.h"
#include "virtual-hopper/shim/runtime.h"

static uint64_t address_of(const void *pointer) {
  return (uint64_t)(uintptr_t)pointer;
}

// ---- allocation -------------------------------------------------------------------------------------------

// `in`: the stream that the memory is made in; 0: everything waits.
static cudaError_t allocate(void **pointer, size_t bytes, uint32_t in) {
  if (!pointer) return runtime_result(cudaErrorInvalidValue);
  *pointer = NULL;
  if (!bytes) return runtime_used(client_connect());
  uint64_t address = 0;
  int status = client_capture_unsafe();
  if (!status) status = client_allocate(&address, bytes, in);
  if (!status) *pointer = (void *)(uintptr_t)address;
  return runtime_used(status);
}

EXPORT cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  return allocate(pointer, bytes, 0);
}

static int free_any(void *pointer) {
  int status = client_capture_unsafe();
  if (status) return status;
  if (client_managed_free(pointer, &status)) return status;
  return client_graph_memory_freed(address_of(pointer)) ? 0 : client_free(address_of(pointer), 0);
}

EXPORT cudaError_t cudaFree(void *pointer) {
  return runtime_waited(pointer ? free_any(pointer) : client_connect());
}

EXPORT cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
  if (!pointer || !bytes || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
    return runtime_result(cudaErrorInvalidValue);
  return runtime_used(client_managed_allocate(pointer, bytes));
}

// The location of managed memory is a hint. CUDA 12 and 13 differ in the arguments after the first two. Those
// arguments are not used.
EXPORT cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                        unsigned flags, cudaStream_t stream) {
  (void)bytes, (void)location, (void)flags, (void)stream;
  return runtime_used(client_is_managed(pointer) ? cudaSuccess : cudaErrorInvalidValue);
}
PER_THREAD_STREAM(cudaMemPrefetchAsync,
                  (const void *pointer, size_t bytes, struct cudaMemLocation location, unsigned flags,
                   cudaStream_t stream),
                  (pointer, bytes, location, flags, stream))

EXPORT cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                                 struct cudaMemLocation location) {
  (void)bytes, (void)advice, (void)location;
  return runtime_used(client_is_managed(pointer) ? cudaSuccess : cudaErrorInvalidValue);
}

EXPORT cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t bytes,
                                            unsigned flags) {
  (void)bytes, (void)flags;
  cudaError_t status = runtime_stream_used(stream);
  return runtime_used(status || client_is_managed(pointer) ? status : cudaErrorInvalidValue);
}
PER_THREAD_SAME(cudaStreamAttachMemAsync);

// In a captured stream, memory comes from a node of the graph.
static int allocate_in_graph(void **pointer, size_t bytes, uint32_t in) {
  struct client_node node;
  const int status = pointer ? client_graph_allocate(&node, bytes) : (int)cudaErrorInvalidValue;
  if (status) return status;
  *pointer = (void *)(uintptr_t)node.memory->address;
  return client_capture_node(&node, in);
}

static int free_in_graph(void *pointer, uint32_t in) {
  struct client_node node;
  const int status = client_graph_free(&node, address_of(pointer));
  return status ? status : client_capture_node(&node, in);
}

EXPORT cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  bool captured = false;
  int status = runtime_stream_used(stream);
  if (!status) status = client_captures(client_in(stream), &captured);
  if (status) return runtime_result(status);
  return captured ? runtime_used(allocate_in_graph(pointer, bytes, client_in(stream)))
                  : allocate(pointer, bytes, client_in(stream));
}
PER_THREAD_STREAM(cudaMallocAsync, (void **pointer, size_t bytes, cudaStream_t stream),
                  (pointer, bytes, stream))

EXPORT cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  cudaError_t status = runtime_stream_used(stream);
  if (!status && !pointer) status = cudaErrorInvalidValue;
  bool captured = false;
  if (!status) status = (cudaError_t)client_captures(client_in(stream), &captured);
  if (status) return runtime_result(status);
  if (captured) return runtime_used(free_in_graph(pointer, client_in(stream)));
  if (client_graph_memory_freed(address_of(pointer))) return runtime_used(0);
  return runtime_used(client_free(address_of(pointer), client_in(stream)));
}
PER_THREAD_STREAM(cudaFreeAsync, (void *pointer, cudaStream_t stream), (pointer, stream))

EXPORT cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
  enum { PITCH_UNIT = 512 }; // the texture alignment; CUDA rounds the bytes of a row up to a multiple of it
  size_t rounded, bytes;
  if (!pointer || !pitch || __builtin_add_overflow(width, PITCH_UNIT - 1, &rounded))
    return runtime_result(cudaErrorInvalidValue);
  rounded = rounded / PITCH_UNIT * PITCH_UNIT;
  if (__builtin_mul_overflow(rounded, height, &bytes)) return runtime_result(cudaErrorMemoryAllocation);
  *pitch = rounded;
  return cudaMalloc(pointer, bytes);
}

EXPORT cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent) {
  size_t rows;
  if (!pointer || __builtin_mul_overflow(extent.height, extent.depth, &rows))
    return runtime_result(cudaErrorInvalidValue);
  pointer->xsize = extent.width;
  pointer->ysize = extent.height;
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, rows);
}

EXPORT cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  struct protocol_memory memory = {0};
  int status = client_memory(&memory);
  if (available) *available = memory.available;
  if (total) *total = memory.total;
  return runtime_used(status);
}

// ---- copies -----------------------------------------------------------------------------------------------

int runtime_transfer(void *destination, size_t destination_pitch, const void *source, size_t source_pitch,
                     size_t width, size_t rows, enum cudaMemcpyKind kind, uint32_t in) {
  const struct client_box box = {.to = destination,
                                 .from = source,
                                 .to_pitch = destination_pitch,
                                 .from_pitch = source_pitch,
                                 .width = width,
                                 .rows = rows,
                                 .slices = 1,
                                 .kind = (int)kind};
  if (width && rows && (!destination || !source)) return cudaErrorInvalidValue;
  return client_transfer(&box, in);
}

EXPORT cudaError_t cudaMemcpy(void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind) {
  return runtime_waited(
      runtime_transfer(destination, bytes, source, bytes, bytes, 1, kind, client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemcpy,
                   (void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind),
                   (destination, source, bytes, kind))

EXPORT cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t bytes,
                                   enum cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status)
                : runtime_used(
                      runtime_transfer(destination, bytes, source, bytes, bytes, 1, kind, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemcpyAsync,
                  (void *destination, const void *source, size_t bytes, enum cudaMemcpyKind kind,
                   cudaStream_t stream),
                  (destination, source, bytes, kind, stream))

// There is one device, so both sides of a peer copy are this device.
EXPORT cudaError_t cudaMemcpyPeer(void *destination, int destination_device, const void *source,
                                  int source_device, size_t bytes) {
  if (destination_device || source_device) return runtime_result(cudaErrorInvalidDevice);
  return cudaMemcpy(destination, source, bytes, cudaMemcpyDeviceToDevice);
}

EXPORT cudaError_t cudaMemcpyPeerAsync(void *destination, int destination_device, const void *source,
                                       int source_device, size_t bytes, cudaStream_t stream) {
  if (destination_device || source_device) return runtime_result(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDeviceToDevice, stream);
}
PER_THREAD_STREAM(cudaMemcpyPeerAsync,
                  (void *destination, int destination_device, const void *source, int source_device,
                   size_t bytes, cudaStream_t stream),
                  (destination, destination_device, source, source_device, bytes, stream))

// ---- fills ------------------------------------------------------------------------------------------------

static int fill(void *pointer, size_t pitch, int value, size_t width, size_t rows, uint32_t in) {
  const struct client_box box = {.to = pointer,
                                 .to_pitch = pitch,
                                 .width = width,
                                 .rows = rows,
                                 .slices = 1,
                                 .pattern = (unsigned char)value,
                                 .pattern_bytes = 1};
  return client_transfer(&box, in);
}

EXPORT cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
  return runtime_used(fill(pointer, bytes, value, bytes, 1, client_default_waits()));
}
PER_THREAD_DEFAULT(cudaMemset, (void *pointer, int value, size_t bytes), (pointer, value, bytes))

EXPORT cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
  cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status)
                : runtime_used(fill(pointer, bytes, value, bytes, 1, client_in(stream)));
}
PER_THREAD_STREAM(cudaMemsetAsync, (void *pointer, int value, size_t bytes, cudaStream_t stream),
                  (pointer, value, bytes, stream))

static cudaError_t fill_2d(void *pointer, size_t pitch, int value, size_t width, size_t height, uint32_t in) {
  if (height > 1 && width > pitch) return runtime_result(cudaErrorInvalidValue);
  return runtime_used(fill(pointer, pitch, value, width, height, in));
}

EXPORT cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  return fill_2d(pointer, pitch, value, width, height, client_default_waits());
}
PER_THREAD_DEFAULT(cudaMemset2D, (void *pointer, size_t pitch, int value, size_t width, size_t height),
                   (pointer, pitch, value, width, height))

EXPORT cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream) {
  cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status) : fill_2d(pointer, pitch, value, width, height, client_in(stream));
}
PER_THREAD_STREAM(cudaMemset2DAsync,
                  (void *pointer, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
                  (pointer, pitch, value, width, height, stream))

static cudaError_t fill_3d(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent, uint32_t in) {
  if (extent.width > pointer.pitch || extent.height > pointer.ysize)
    return runtime_result(cudaErrorInvalidValue);
  const struct client_box box = {.to = pointer.ptr,
                                 .to_pitch = pointer.pitch,
                                 .to_slice = pointer.ysize * pointer.pitch,
                                 .width = extent.width,
                                 .rows = extent.height,
                                 .slices = extent.depth,
                                 .pattern = (unsigned char)value,
                                 .pattern_bytes = 1};
  return runtime_used(client_transfer(&box, in));
}

EXPORT cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent) {
  return fill_3d(pointer, value, extent, client_default_waits());
}
PER_THREAD_DEFAULT(cudaMemset3D, (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent),
                   (pointer, value, extent))

EXPORT cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
                                     cudaStream_t stream) {
  cudaError_t status = runtime_stream_used(stream);
  return status ? runtime_result(status) : fill_3d(pointer, value, extent, client_in(stream));
}
PER_THREAD_STREAM(cudaMemset3DAsync,
                  (struct cudaPitchedPtr pointer, int value, struct cudaExtent extent, cudaStream_t stream),
                  (pointer, value, extent, stream))
