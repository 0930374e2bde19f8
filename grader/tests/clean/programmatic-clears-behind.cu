// The first kernel lets the second one begin, and reads after that. The second clears what the first has
// read, once that has ended.
#include "corpus.h"

__global__ void read(int *out, const int *buffer) {
  cudaTriggerProgrammaticLaunchCompletion();
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = buffer[i] + 1;
}

__global__ void clear(int *buffer) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  cudaGridDependencySynchronize();
  buffer[i] = 0;
}

int main() {
  return corpus_check(
      4 * 64,
      [](int *out, const int *in) {
        cudaLaunchAttribute early = {};
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = 4;
        config.blockDim = 64;
        config.attrs = &early;
        config.numAttrs = 1;
        int *buffer;
        CUDA_CHECK(cudaMalloc(&buffer, 4 * 64 * sizeof(int)));
        CUDA_CHECK(cudaMemcpy(buffer, in, 4 * 64 * sizeof(int), cudaMemcpyDeviceToDevice));
        read<<<4, 64>>>(out, buffer);
        CUDA_CHECK(cudaLaunchKernelEx(&config, clear, buffer));
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(buffer));
      },
      corpus_plus_one);
}
