// Two page-locked buffers in turns: the host fills one while a copy still reads the other. It looks at the
// results when it has waited for all of them.
#include "corpus.h"

constexpr uint32_t PART = 1024, PARTS = 4;

__global__ void plus_one(int *data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static void launch(int *out, const int *in) {
  const size_t bytes = PART * sizeof(int);
  cudaStream_t stream;
  cudaEvent_t done[2];
  int *host[2], *there[2], *results;
  std::vector<int> values(PART * PARTS);
  CUDA_CHECK(cudaMemcpy(values.data(), in, values.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaMallocHost(&host[i], bytes));
    CUDA_CHECK(cudaMalloc(&there[i], bytes));
    CUDA_CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
  }
  CUDA_CHECK(cudaMallocHost(&results, PARTS * bytes));
  for (uint32_t part = 0; part < PARTS; part++) {
    const uint32_t turn = part % 2;
    if (part >= 2) CUDA_CHECK(cudaEventSynchronize(done[turn]));
    memcpy(host[turn], values.data() + part * PART, bytes);
    CUDA_CHECK(cudaMemcpyAsync(there[turn], host[turn], bytes, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaEventRecord(done[turn], stream));
    plus_one<<<PART / 128, 128, 0, stream>>>(there[turn]);
    CUDA_CHECK(cudaMemcpyAsync(results + part * PART, there[turn], bytes, cudaMemcpyDeviceToHost, stream));
  }
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaMemcpy(out, results, PARTS * bytes, cudaMemcpyHostToDevice));
  for (uint32_t i = 0; i < PART * PARTS; i++)
    check_that(results[i] == values[i] + 1, "result %u is %d", i, results[i]);
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaFreeHost(host[i]));
    CUDA_CHECK(cudaFree(there[i]));
    CUDA_CHECK(cudaEventDestroy(done[i]));
  }
  CUDA_CHECK(cudaFreeHost(results));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

int main() {
  return corpus_check(PART * PARTS, launch, corpus_plus_one);
}
