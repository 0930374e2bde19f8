// Two streams that don't wait for the default stream. An event hands the first half of the work over, another
// one brings both together again; the streams write neighbouring bytes, and add to one counter.
#include "corpus.h"

constexpr uint32_t COUNT = 1024;

__global__ void twice(short *to, const int *from, int *counter) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  to[2 * i] = static_cast<short>(from[i] * 2);
  atomicAdd(counter, 1);
}

__global__ void plus_three(short *to, const int *from, int *counter) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  to[2 * i + 1] = static_cast<short>(from[i] + 3);
  atomicAdd(counter, 1);
}

__global__ void sum(int *out, const short *pairs, const int *counter) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = pairs[2 * i] + pairs[2 * i + 1] + *counter;
}

static void launch(int *out, const int *in) {
  cudaStream_t a, b;
  cudaEvent_t ready, done;
  short *pairs;
  int *counter;
  CUDA_CHECK(cudaMalloc(&pairs, 2 * COUNT * sizeof *pairs));
  CUDA_CHECK(cudaMalloc(&counter, sizeof *counter));
  CUDA_CHECK(cudaDeviceSynchronize()); // cudaMemset before was in the default stream
  CUDA_CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  CUDA_CHECK(cudaMemsetAsync(counter, 0, sizeof *counter, a));
  CUDA_CHECK(cudaEventRecord(ready, a));
  CUDA_CHECK(cudaStreamWaitEvent(b, ready, 0));
  twice<<<COUNT / 128, 128, 0, a>>>(pairs, in, counter);
  plus_three<<<COUNT / 128, 128, 0, b>>>(pairs, in, counter);
  CUDA_CHECK(cudaEventRecord(done, b));
  CUDA_CHECK(cudaStreamWaitEvent(a, done, 0));
  sum<<<COUNT / 128, 128, 0, a>>>(out, pairs, counter);
  CUDA_CHECK(cudaStreamSynchronize(a));
  CUDA_CHECK(cudaEventDestroy(ready));
  CUDA_CHECK(cudaEventDestroy(done));
  CUDA_CHECK(cudaStreamDestroy(a));
  CUDA_CHECK(cudaStreamDestroy(b));
  CUDA_CHECK(cudaFree(pairs));
  CUDA_CHECK(cudaFree(counter));
}

int main() {
  return corpus_check(COUNT, launch, [](const std::vector<int> &in, size_t i) {
    return static_cast<short>(in[i] * 2) + static_cast<short>(in[i] + 3) + 2 * static_cast<int>(COUNT);
  });
}
