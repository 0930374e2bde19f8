// The host fills two page-locked buffers in turns, each when the event behind its last copy has come.
#include "corpus.h"

constexpr int PART = 1024, PARTS = 6;

static void launch(int *out, const int *in) {
  cudaStream_t stream;
  cudaEvent_t sent[2];
  int *pages[2];
  std::vector<int> values(PART * PARTS);
  CUDA_CHECK(cudaMemcpy(values.data(), in, values.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaMallocHost(&pages[i], PART * sizeof(int)));
    CUDA_CHECK(cudaEventCreateWithFlags(&sent[i], cudaEventDisableTiming));
  }
  for (int part = 0; part < PARTS; part++) {
    const int turn = part % 2;
    if (part >= 2) CUDA_CHECK(cudaEventSynchronize(sent[turn]));
    for (int i = 0; i < PART; i++)
      pages[turn][i] = values[part * PART + i] + 1;
    CUDA_CHECK(
        cudaMemcpyAsync(out + part * PART, pages[turn], PART * sizeof(int), cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaEventRecord(sent[turn], stream));
  }
  CUDA_CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaFreeHost(pages[i]));
    CUDA_CHECK(cudaEventDestroy(sent[i]));
  }
  CUDA_CHECK(cudaStreamDestroy(stream));
}

int main() {
  return corpus_check(PART * PARTS, launch, corpus_plus_one);
}
