// In: nothing. Out: `ok` if every wrong use of the runtime gives the error that CUDA gives, and an error is
// forgotten, or kept, as CUDA does. The idea: a table of wrong calls with their numbers; then the state
// after a kernel that failed.
#include "self-check.h"

#include <functional>

__global__ void nothing() {}
__global__ void __launch_bounds__(64) at_most_64(int *out) {
  *out = 1;
}
__global__ void write_to(int *place) {
  *place = 1;
}
__global__ void grows(int *out) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = 1;
  *out = shared[0];
}

struct wrong_call {
  const char *what;
  cudaError_t expected;
  std::function<cudaError_t()> call;
};

static cudaError_t launch(dim3 grid, dim3 block, size_t shared = 0) {
  nothing<<<grid, block, shared>>>();
  return cudaPeekAtLastError();
}

static cudaError_t launch_clusters(unsigned blocks, unsigned cluster) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(32);
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, nothing);
}

static void wrong_calls_give_their_errors() {
  static char host[1024];
  char *device, *pointer;
  cudaStream_t stream;
  cudaEvent_t event, other;
  float milliseconds;
  int number;
  cudaFuncAttributes attributes;
  CUDA_CHECK(cudaMalloc(&device, 1024));
  CUDA_CHECK(cudaEventCreate(&event));
  CUDA_CHECK(cudaEventCreateWithFlags(&other, cudaEventDisableTiming));
  const wrong_call calls[] = {
      {"too much shared memory", cudaErrorInvalidValue, [] { return launch(1, 1, 50000); }},
      {"more threads than the launch bound", cudaErrorInvalidValue,
       [&] {
         at_most_64<<<1, 65>>>(reinterpret_cast<int *>(device));
         return cudaPeekAtLastError();
       }},
      {"shared memory beyond the chip's", cudaErrorInvalidValue,
       [] { return cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449); }},
      {"clusters that don't divide the grid", cudaErrorInvalidClusterSize,
       [] { return launch_clusters(3, 2); }},
      {"clusters of 16, not allowed", cudaErrorInvalidClusterSize, [] { return launch_clusters(16, 16); }},
      {"a host address as a kernel", cudaErrorInvalidResourceHandle,
       [&] { return cudaFuncGetAttributes(&attributes, static_cast<const void *>(host)); }},
      {"a host address as a symbol", cudaErrorInvalidSymbol,
       [] { return cudaMemcpyToSymbol(static_cast<const void *>(host), host, 1); }},
      {"one byte too many", cudaErrorInvalidValue,
       [&] { return cudaMemcpy(device, host, 1025, cudaMemcpyHostToDevice); }},
      {"no such kind", cudaErrorInvalidMemcpyDirection,
       [&] { return cudaMemcpy(device, host, 1, static_cast<cudaMemcpyKind>(7)); }},
      {"rows wider than their pitch", cudaErrorInvalidPitchValue,
       [&] { return cudaMemcpy2D(device, 8, host, 16, 16, 2, cudaMemcpyHostToDevice); }},
      {"fill beyond the end", cudaErrorInvalidValue, [&] { return cudaMemset(device + 1000, 0, 25); }},
      {"free in the middle", cudaErrorInvalidValue, [&] { return cudaFree(device + 256); }},
      {"free of host memory", cudaErrorInvalidValue, [] { return cudaFree(host); }},
      {"more memory than there is", cudaErrorMemoryAllocation,
       [&] { return cudaMalloc(&pointer, size_t(1) << 45); }},
      {"device 1 of 1", cudaErrorInvalidDevice,
       [&] { return cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 99); }},
      {"no such device", cudaErrorInvalidDevice, [] { return cudaSetDevice(99); }},
      {"an event that was never recorded", cudaErrorInvalidResourceHandle,
       [&] { return cudaEventElapsedTime(&milliseconds, event, event); }},
      {"an event without time", cudaErrorInvalidResourceHandle,
       [&] { return cudaEventElapsedTime(&milliseconds, other, other); }},
      {"unknown flags of a stream", cudaErrorInvalidValue,
       [&] { return cudaStreamCreateWithFlags(&stream, 77); }},
      {"nowhere to put it", cudaErrorInvalidValue,
       [] { return cudaMalloc(static_cast<void **>(nullptr), 1); }},
  };
  for (const wrong_call &wrong : calls) {
    check_that(cudaGetLastError() == cudaSuccess, "%s: an error from before", wrong.what);
    const cudaError_t got = wrong.call();
    check_that(got == wrong.expected, "%s: %s, not %s", wrong.what, cudaGetErrorName(got),
               cudaGetErrorName(wrong.expected));
    check_that(cudaPeekAtLastError() == got, "%s: the last error is %s", wrong.what,
               cudaGetErrorName(cudaPeekAtLastError()));
    check_that(cudaGetLastError() == got && cudaGetLastError() == cudaSuccess,
               "%s: not forgotten once asked for", wrong.what);
  }
  CUDA_CHECK(cudaEventDestroy(event));
  CUDA_CHECK(cudaEventDestroy(other));
  CUDA_CHECK(cudaFree(device));
}

// Not cudaErrorInvalidConfiguration: seen on an H100 with CUDA 13.0.
static void impossible_shapes_are_invalid_values() {
  const struct {
    const char *what;
    dim3 grid, block;
  } shapes[] = {
      {"no thread", 1, 0},
      {"no block", 0, 1},
      {"no row", dim3(1, 0), 1},
      {"1025 threads", 1, 1025},
      {"33 x 32 threads", 1, dim3(33, 32)},
      {"65 layers of threads", 1, dim3(1, 1, 65)},
      {"65536 rows of blocks", dim3(1, 65536), 1},
      {"2^31 blocks", 1u << 31, 1},
  };
  const struct {
    const char *name;
    cudaError_t (*launch)(dim3 grid, dim3 block);
  } forms[] = {
      {"<<<>>>", [](dim3 grid, dim3 block) { return launch(grid, block); }},
      {"cudaLaunchKernel",
       [](dim3 grid, dim3 block) {
         return cudaLaunchKernel(reinterpret_cast<void *>(nothing), grid, block, nullptr, 0, nullptr);
       }},
      {"cudaLaunchCooperativeKernel",
       [](dim3 grid, dim3 block) {
         return cudaLaunchCooperativeKernel(reinterpret_cast<void *>(nothing), grid, block, nullptr, 0,
                                            nullptr);
       }},
      {"cudaLaunchKernelEx",
       [](dim3 grid, dim3 block) {
         cudaLaunchConfig_t config = {};
         config.gridDim = grid;
         config.blockDim = block;
         return cudaLaunchKernelEx(&config, nothing);
       }},
  };
  for (const auto &shape : shapes)
    for (const auto &form : forms) {
      const cudaError_t got = form.launch(shape.grid, shape.block);
      check_that(got == cudaErrorInvalidValue && cudaGetLastError() == got, "%s by %s: %s", shape.what,
                 form.name, cudaGetErrorName(got));
    }
}

static void errors_have_names() {
  check_that(strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") == 0, "%s",
             cudaGetErrorName(cudaErrorIllegalAddress));
  check_that(
      strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered") == 0,
      "%s", cudaGetErrorString(cudaErrorIllegalAddress));
  check_that(strcmp(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code") == 0,
             "a name for 12345");
}

int main() {
  wrong_calls_give_their_errors();
  impossible_shapes_are_invalid_values();
  errors_have_names();
  return self_check_result();
}
