// Launches: the functions that nvcc's code for <<<>>> calls, old and new, and the functions that programs
// call directly. In: a kernel, a configuration, pointers to arguments; out: CUDA errors of the configuration.
// The next call that waits reports an error inside the kernel, as on a real GPU.
#include "virtual-hopper/shim/client-attribute.h"
#include "virtual-hopper/shim/client-graph.h"
#include "virtual-hopper/shim/runtime.h"

// ---- <<<>>> -----------------------------------------------------------------------------------------------

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  struct runtime_thread *thread = runtime_thread();
  if (thread->depth == RUNTIME_DEPTH) {
    thread->last_error = cudaErrorInvalidConfiguration;
    return 1;
  }
  thread->configurations[thread->depth++] = (struct runtime_configuration){grid, block, shared, stream};
  return 0;
}

EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  struct runtime_thread *thread = runtime_thread();
  if (!thread->depth) return runtime_result(cudaErrorMissingConfiguration);
  const struct runtime_configuration *top = &thread->configurations[--thread->depth];
  *grid = top->grid;
  *block = top->block;
  *shared = top->shared;
  *(cudaStream_t *)stream = top->stream;
  return cudaSuccess;
}

EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host_function) {
  struct client_function *function = runtime_function(host_function);
  if (!function) return runtime_result(cudaErrorInvalidDeviceFunction);
  *kernel = (cudaKernel_t)function;
  return cudaSuccess;
}

// ---- launch functions -------------------------------------------------------------------------------------

static struct protocol_launch make_launch(dim3 grid, dim3 block, size_t shared) {
  struct protocol_launch launch = {.grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z}};
  launch.dynamic_shared_bytes = shared > UINT32_MAX ? UINT32_MAX : (uint32_t)shared;
  return launch;
}

// A launch after the device has stopped returns the error that stopped the device.
static cudaError_t launch_function(const void *function, struct protocol_launch *launch, void **arguments,
                                   cudaStream_t stream) {
  struct client_function *known = runtime_function(function);
  if (!known) return runtime_result(cudaErrorInvalidDeviceFunction);
  cudaError_t wrong_stream = runtime_stream_used(stream);
  if (wrong_stream) return runtime_result(wrong_stream);
  runtime_map_managed(known->module);
  int before = client_device_error();
  int status = client_launch(known, launch, arguments, stream);
  return before ? runtime_used(before) : runtime_result(status);
}

EXPORT cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                    size_t shared, cudaStream_t stream) {
  struct protocol_launch launch = make_launch(grid, block, shared);
  return launch_function(function, &launch, arguments, stream);
}
PER_THREAD_STREAM(cudaLaunchKernel,
                  (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                   cudaStream_t stream),
                  (function, grid, block, arguments, shared, stream))

EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                                      size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared, stream);
}
PER_THREAD_STREAM(__cudaLaunchKernel,
                  (cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                   cudaStream_t stream),
                  (kernel, grid, block, arguments, shared, stream))

EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                               size_t shared, cudaStream_t stream) {
  struct protocol_launch launch = make_launch(grid, block, shared);
  launch.cooperative = 1;
  return launch_function(function, &launch, arguments, stream);
}
PER_THREAD_STREAM(cudaLaunchCooperativeKernel,
                  (const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                   cudaStream_t stream),
                  (function, grid, block, arguments, shared, stream))

EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function,
                                       void **arguments) {
  if (!config || (config->numAttrs && !config->attrs)) return runtime_result(cudaErrorInvalidValue);
  struct protocol_launch launch = make_launch(config->gridDim, config->blockDim, config->dynamicSmemBytes);
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const int status = client_launch_attribute(&launch, &config->attrs[i], config->stream);
    if (status) return runtime_result(status);
  }
  const cudaError_t status = launch_function(function, &launch, arguments, config->stream);
  for (unsigned i = 0; i < config->numAttrs && !status; i++)
    client_launch_event(&config->attrs[i], config->stream);
  return status;
}
PER_THREAD_STREAM(cudaLaunchKernelExC,
                  (const cudaLaunchConfig_t *config, const void *function, void **arguments),
                  (config, function, arguments))

// ---- host functions in a stream ---------------------------------------------------------------------------

EXPORT cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  cudaError_t status = function ? runtime_stream_used(stream) : cudaErrorInvalidValue;
  bool captured = false;
  if (!status) status = (cudaError_t)client_captures(client_in(stream), &captured);
  if (status) return runtime_result(status);
  if (captured) return runtime_result(client_capture_host(function, data, client_in(stream)));
  client_host_function(function, data, client_in(stream));
  return runtime_used(client_connect());
}
PER_THREAD_STREAM(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data),
                  (stream, function, data))

EXPORT cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                         unsigned flags) {
  int status = callback && !flags ? (int)runtime_stream_used(stream) : (int)cudaErrorInvalidValue;
  if (!status) status = client_capture_waits(stream);
  if (status) return runtime_result(status);
  return runtime_used(client_callback((void (*)(void *, int, void *))(void *)callback, stream, data));
}
PER_THREAD_STREAM(cudaStreamAddCallback,
                  (cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags),
                  (stream, callback, data, flags))
