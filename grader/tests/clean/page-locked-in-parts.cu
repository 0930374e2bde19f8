// The host fills parts of one page-locked buffer, which lie across its pages, while copies of other parts are
// under way, and reads results beside the copies that bring more of them.
#include "corpus.h"

constexpr int PART = 600, PARTS = 8, SPARE = 100;

static void launch(int *out, const int *in) {
  cudaStream_t stream;
  cudaEvent_t sent[2], there[2];
  int *filled, *brought;
  CUDA_CHECK(cudaDeviceSynchronize()); // `in` may still be on its way: it came from pageable memory
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMallocHost(&filled, (2 * PART + SPARE) * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&brought, (PARTS * PART + SPARE) * sizeof(int)));
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaEventCreateWithFlags(&sent[i], cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&there[i], cudaEventDisableTiming));
  }
  for (int part = 0; part < PARTS; part++) {
    const int turn = part % 2;
    int *own = filled + turn * PART;
    CUDA_CHECK(cudaMemcpyAsync(brought + part * PART, in + part * PART, PART * sizeof(int),
                               cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaEventRecord(there[turn], stream));
    brought[PARTS * PART + part] = part; // behind the last part, in its page
    if (part >= 2) CUDA_CHECK(cudaEventSynchronize(sent[turn]));
    CUDA_CHECK(cudaEventSynchronize(there[turn]));
    for (int i = 0; i < PART; i++)
      own[i] = brought[part * PART + i] + 1;
    CUDA_CHECK(cudaMemcpyAsync(out + part * PART, own, PART * sizeof(int), cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaEventRecord(sent[turn], stream));
    memset(filled + 2 * PART, part, SPARE * sizeof(int));
  }
  CUDA_CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaEventDestroy(sent[i]));
    CUDA_CHECK(cudaEventDestroy(there[i]));
  }
  CUDA_CHECK(cudaFreeHost(filled));
  CUDA_CHECK(cudaFreeHost(brought));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

int main() {
  return corpus_check(PART * PARTS, launch, corpus_plus_one);
}
