// Memory that belongs to a stream: one stream makes and frees it, another one works with it in between.
// Events order the two, both ways; the second round may get the same memory again.
#include "corpus.h"

constexpr uint32_t COUNT = 512;

__global__ void twice(int *to, const int *from) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] * 2;
}

__global__ void plus(int *to, const int *from, const int *more) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + more[i];
}

static void launch(int *out, const int *in) {
  cudaStream_t owner, worker;
  cudaEvent_t made, used;
  CUDA_CHECK(cudaDeviceSynchronize()); // cudaMemset before was in the default stream
  CUDA_CHECK(cudaStreamCreateWithFlags(&owner, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&worker, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
  for (uint32_t half = 0; half < 2; half++) {
    int *scratch;
    const int *from = in + half * COUNT;
    CUDA_CHECK(cudaMallocAsync(&scratch, COUNT * sizeof *scratch, owner));
    CUDA_CHECK(cudaEventRecord(made, owner));
    CUDA_CHECK(cudaStreamWaitEvent(worker, made, 0));
    twice<<<COUNT / 128, 128, 0, worker>>>(scratch, from);
    plus<<<COUNT / 128, 128, 0, worker>>>(out + half * COUNT, from, scratch);
    CUDA_CHECK(cudaEventRecord(used, worker));
    CUDA_CHECK(cudaStreamWaitEvent(owner, used, 0));
    CUDA_CHECK(cudaFreeAsync(scratch, owner));
  }
  CUDA_CHECK(cudaStreamSynchronize(owner));
  CUDA_CHECK(cudaEventDestroy(made));
  CUDA_CHECK(cudaEventDestroy(used));
  CUDA_CHECK(cudaStreamDestroy(owner));
  CUDA_CHECK(cudaStreamDestroy(worker));
}

int main() {
  return corpus_check(2 * COUNT, launch, [](const std::vector<int> &in, size_t i) { return in[i] * 3; });
}
