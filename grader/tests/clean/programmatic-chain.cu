// Three kernels that may run side by side. The second touches nothing of the first's and waits for nobody;
// the third reads what the first has written: its wait covers that one, too (so it is on an H200).
#include "corpus.h"

__global__ void write(int *to, const int *from) {
  cudaTriggerProgrammaticLaunchCompletion();
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + 1;
}

__global__ void mark(int *marks) {
  cudaTriggerProgrammaticLaunchCompletion();
  marks[blockIdx.x * blockDim.x + threadIdx.x] = 3;
}

__global__ void read(int *to, const int *from) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  to[i] = from[i] * 2;
}

template <class... parameters, class... arguments>
static void launch_early(void (*kernel)(parameters...), arguments... values) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 4;
  config.blockDim = 64;
  config.attrs = &early;
  config.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, values...));
}

int main() {
  return corpus_check(
      256,
      [](int *out, const int *in) {
        int *between, *marks;
        CUDA_CHECK(cudaMalloc(&between, 256 * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&marks, 256 * sizeof(int)));
        write<<<4, 64>>>(between, in);
        launch_early(mark, marks);
        launch_early(read, out, static_cast<const int *>(between));
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(between));
        CUDA_CHECK(cudaFree(marks));
      },
      [](const std::vector<int> &in, size_t i) { return (in[i] + 1) * 2; });
}
