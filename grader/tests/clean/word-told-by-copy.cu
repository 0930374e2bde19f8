// The host tells a kernel by two words, which a copy and a fill of another stream write; the kernel asks for
// them until they are there.
#include "corpus.h"
#include <cuda/atomic>

using system_word = cuda::atomic_ref<int, cuda::thread_scope_system>;
constexpr uint32_t ELEMENTS = 1024;

__global__ static void work(int *out, const int *in, int *copied, volatile int *filled) {
  if (threadIdx.x == 0) {
    while (system_word(*copied).load(cuda::memory_order_acquire) == 0) {
    }
    while (*filled == 0) {
    }
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < ELEMENTS; i += blockDim.x)
    out[i] = in[i] + 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t works, tells;
  int *words, *one;
  CUDA_CHECK(cudaStreamCreateWithFlags(&works, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&tells, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMalloc(&words, 2 * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&one, sizeof(int)));
  *one = 1;
  CUDA_CHECK(cudaMemset(words, 0, 2 * sizeof(int)));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpyAsync(words, one, sizeof(int), cudaMemcpyHostToDevice, tells));
  CUDA_CHECK(cudaMemsetAsync(words + 1, 1, sizeof(int), tells));
  work<<<1, 128, 0, works>>>(out, in, words, words + 1);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(words));
  CUDA_CHECK(cudaFreeHost(one));
  CUDA_CHECK(cudaStreamDestroy(works));
  CUDA_CHECK(cudaStreamDestroy(tells));
}

int main() {
  return corpus_check(ELEMENTS, launch, corpus_plus_one);
}
