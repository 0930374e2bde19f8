// No kernel waits for its predecessor, and none needs to: the predecessor triggers no early start; or the
// host has waited; or the launch doesn't allow an early start; or a flag that the earlier kernel sets orders
// the two; or an event does.
#include "corpus.h"

__global__ void quiet(int *to, const int *from) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x] + 1;
}

__global__ void trigger(int *to, const int *from) {
  cudaTriggerProgrammaticLaunchCompletion();
  to[blockIdx.x * blockDim.x + threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x] + 1;
}

__global__ void announce(int *to, const int *from, int *ended) { // ended: how many blocks have written
  cudaTriggerProgrammaticLaunchCompletion();
  to[blockIdx.x * blockDim.x + threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x] + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(ended, 1);
}

__global__ void after_announcement(int *to, const int *from, const int *ended) {
  if (threadIdx.x == 0)
    while (*const_cast<const volatile int *>(ended) < static_cast<int>(gridDim.x)) {
    }
  __threadfence();
  __syncthreads();
  to[blockIdx.x * blockDim.x + threadIdx.x] = from[blockIdx.x * blockDim.x + threadIdx.x] + 1;
}

template <class... parameters, class... arguments>
static void launch_early(void (*kernel)(parameters...), arguments... values) {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = CORPUS_BLOCKS;
  config.blockDim = CORPUS_TILE;
  config.attrs = &early;
  config.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, static_cast<parameters>(values)...));
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE,
      [](int *out, const int *in) {
        int *a, *b, *ended;
        cudaEvent_t done;
        CUDA_CHECK(cudaMalloc(&a, CORPUS_BLOCKS * CORPUS_TILE * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&b, CORPUS_BLOCKS * CORPUS_TILE * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&ended, sizeof(int)));
        CUDA_CHECK(cudaMemset(ended, 0, sizeof(int)));
        CUDA_CHECK(cudaEventCreate(&done));
        quiet<<<CORPUS_BLOCKS, CORPUS_TILE>>>(a, in);
        launch_early(trigger, b, a); // the one before lets nobody begin early
        CUDA_CHECK(cudaDeviceSynchronize());
        launch_early(trigger, a, b);
        CUDA_CHECK(cudaEventRecord(done));
        CUDA_CHECK(cudaEventSynchronize(done));
        launch_early(trigger, b, a);
        quiet<<<CORPUS_BLOCKS, CORPUS_TILE>>>(a, b); // an ordinary launch waits for all before it
        announce<<<CORPUS_BLOCKS, CORPUS_TILE>>>(b, a, ended);
        launch_early(after_announcement, out, b, ended);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(a));
        CUDA_CHECK(cudaFree(b));
        CUDA_CHECK(cudaFree(ended));
      },
      [](const std::vector<int> &in, size_t i) { return in[i] + 7; });
}
