// The host asks whether work is done, and goes on asking until it is: an event for the first half of the
// results, the stream itself for the second. In between it does something else.
#include "corpus.h"

constexpr uint32_t COUNT = 1024; // a page: only whole pages of page-locked memory are watched

__global__ void plus_one(int *to, const int *from) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t stream;
  cudaEvent_t there;
  int *results, asked = 0;
  CUDA_CHECK(cudaDeviceSynchronize()); // cudaMemset before was in the default stream
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
  CUDA_CHECK(cudaMallocHost(&results, 2 * COUNT * sizeof *results));
  for (uint32_t half = 0; half < 2; half++) {
    int *to = out + half * COUNT;
    plus_one<<<COUNT / 128, 128, 0, stream>>>(to, in + half * COUNT);
    CUDA_CHECK(
        cudaMemcpyAsync(results + half * COUNT, to, COUNT * sizeof *to, cudaMemcpyDeviceToHost, stream));
    if (half == 0) CUDA_CHECK(cudaEventRecord(there, stream));
  }
  while (cudaEventQuery(there) == cudaErrorNotReady)
    asked++;
  check_that(results[COUNT - 1] == static_cast<int>(COUNT - 1) * 7 + 4, "half is %d", results[COUNT - 1]);
  while (cudaStreamQuery(stream) != cudaSuccess)
    asked++;
  check_that(results[COUNT] == static_cast<int>(COUNT) * 7 + 4, "the rest is %d", results[COUNT]);
  check_that(asked < 1000000000, "it was asked %d times", asked);
  CUDA_CHECK(cudaEventDestroy(there));
  CUDA_CHECK(cudaStreamDestroy(stream));
  CUDA_CHECK(cudaFreeHost(results));
}

int main() {
  return corpus_check(2 * COUNT, launch, corpus_plus_one);
}
