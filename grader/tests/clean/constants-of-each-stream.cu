// Constants that a kernel reads are replaced for the next one by a copy in another stream, which waits for an
// event; the host fills its page-locked copy again when another event has told that it has been read.
#include "corpus.h"

constexpr uint32_t COUNT = 512;

__constant__ int scale[4];

__global__ void scaled(int *out, const int *in) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] += in[i] * scale[i % 4];
}

static void launch(int *out, const int *in) {
  cudaStream_t copies, kernels;
  cudaEvent_t read, copied;
  int *host;
  CUDA_CHECK(cudaMallocHost(&host, sizeof scale));
  CUDA_CHECK(cudaDeviceSynchronize()); // cudaMemset before was in the default stream
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&read, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  for (int turn = 0; turn < 3; turn++) {
    CUDA_CHECK(cudaEventSynchronize(copied));
    for (int i = 0; i < 4; i++)
      host[i] = turn + i;
    CUDA_CHECK(cudaStreamWaitEvent(copies, read, 0));
    CUDA_CHECK(cudaMemcpyToSymbolAsync(scale, host, sizeof scale, 0, cudaMemcpyHostToDevice, copies));
    CUDA_CHECK(cudaEventRecord(copied, copies));
    CUDA_CHECK(cudaStreamWaitEvent(kernels, copied, 0));
    scaled<<<COUNT / 128, 128, 0, kernels>>>(out, in);
    CUDA_CHECK(cudaEventRecord(read, kernels));
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaEventDestroy(read));
  CUDA_CHECK(cudaEventDestroy(copied));
  CUDA_CHECK(cudaStreamDestroy(copies));
  CUDA_CHECK(cudaStreamDestroy(kernels));
  CUDA_CHECK(cudaFreeHost(host));
}

int main() {
  return corpus_check(COUNT, launch, [](const std::vector<int> &in, size_t i) {
    return in[i] * (3 + 3 * static_cast<int>(i % 4));
  });
}
