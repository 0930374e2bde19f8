// An event is recorded twice: a stream that waits for it afterwards waits for the second record.
#include "corpus.h"

__global__ void fill(int *to, const int *in) {
  to[threadIdx.x] = in[threadIdx.x] + 1;
}
__global__ void move(int *to, const int *from) {
  to[threadIdx.x] = from[threadIdx.x];
}

int main() {
  cudaStream_t first, second;
  cudaEvent_t filled;
  int *between;
  CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  CUDA_CHECK(cudaMalloc(&between, 64 * sizeof(int)));
  const int result = corpus_check(
      64,
      [&](int *out, const int *in) {
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaEventRecord(filled, first));
        fill<<<1, 64, 0, first>>>(between, in);
        CUDA_CHECK(cudaEventRecord(filled, first));
        CUDA_CHECK(cudaStreamWaitEvent(second, filled, 0));
        move<<<1, 64, 0, second>>>(out, between);
      },
      corpus_plus_one);
  CUDA_CHECK(cudaFree(between));
  CUDA_CHECK(cudaEventDestroy(filled));
  CUDA_CHECK(cudaStreamDestroy(first));
  CUDA_CHECK(cudaStreamDestroy(second));
  return result;
}
