// Chunks go up in one stream and are worked on in another; two buffers in turns, each with an event for "it
// is there" and one for "it has been used".
#include "corpus.h"

constexpr int CHUNKS = 4, CHUNK = 256;

__global__ void work(int *out, const int *chunk) {
  out[threadIdx.x] = chunk[threadIdx.x] + 1;
}

int main() {
  cudaStream_t uploads, kernels;
  cudaEvent_t there[2], used[2];
  int *buffers;
  CUDA_CHECK(cudaStreamCreateWithFlags(&uploads, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
  for (int b = 0; b < 2; b++) {
    CUDA_CHECK(cudaEventCreateWithFlags(&there[b], cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&used[b], cudaEventDisableTiming));
  }
  CUDA_CHECK(cudaMalloc(&buffers, 2 * CHUNK * sizeof(int)));
  const int result = corpus_check(
      CHUNKS * CHUNK,
      [&](int *out, const int *in) {
        CUDA_CHECK(cudaDeviceSynchronize());
        for (int k = 0; k < CHUNKS; k++) {
          const int b = k % 2;
          if (k >= 2) CUDA_CHECK(cudaStreamWaitEvent(uploads, used[b], 0));
          CUDA_CHECK(cudaMemcpyAsync(buffers + b * CHUNK, in + k * CHUNK, CHUNK * sizeof(int),
                                     cudaMemcpyDeviceToDevice, uploads));
          CUDA_CHECK(cudaEventRecord(there[b], uploads));
          CUDA_CHECK(cudaStreamWaitEvent(kernels, there[b], 0));
          work<<<1, CHUNK, 0, kernels>>>(out + k * CHUNK, buffers + b * CHUNK);
          CUDA_CHECK(cudaEventRecord(used[b], kernels));
        }
      },
      corpus_plus_one);
  CUDA_CHECK(cudaFree(buffers));
  for (int b = 0; b < 2; b++) {
    CUDA_CHECK(cudaEventDestroy(there[b]));
    CUDA_CHECK(cudaEventDestroy(used[b]));
  }
  CUDA_CHECK(cudaStreamDestroy(uploads));
  CUDA_CHECK(cudaStreamDestroy(kernels));
  return result;
}
