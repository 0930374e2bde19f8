// A host function fills page-locked memory in one stream; a copy in another stream reads it after an event
// that is recorded behind the function. Two buffers take turns: a function waits for the copy before.
#include "corpus.h"

constexpr int PART = 1024, PARTS = 4;

struct part {
  int *to;
  const int *from;
};

static void fill(void *data) {
  const part *p = static_cast<const part *>(data);
  for (int i = 0; i < PART; i++)
    p->to[i] = p->from[i] + 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t fills, copies;
  cudaEvent_t filled[2], sent[2];
  int *pages[2];
  part parts[PARTS];
  std::vector<int> values(PART * PARTS);
  CUDA_CHECK(cudaMemcpy(values.data(), in, values.size() * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaStreamCreateWithFlags(&fills, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaMallocHost(&pages[i], PART * sizeof(int)));
    CUDA_CHECK(cudaEventCreateWithFlags(&filled[i], cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&sent[i], cudaEventDisableTiming));
  }
  for (int i = 0; i < PARTS; i++) {
    const int turn = i % 2;
    parts[i] = {pages[turn], values.data() + i * PART};
    if (i >= 2) CUDA_CHECK(cudaStreamWaitEvent(fills, sent[turn], 0));
    CUDA_CHECK(cudaLaunchHostFunc(fills, fill, &parts[i]));
    CUDA_CHECK(cudaEventRecord(filled[turn], fills));
    CUDA_CHECK(cudaStreamWaitEvent(copies, filled[turn], 0));
    CUDA_CHECK(
        cudaMemcpyAsync(out + i * PART, pages[turn], PART * sizeof(int), cudaMemcpyHostToDevice, copies));
    CUDA_CHECK(cudaEventRecord(sent[turn], copies));
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaFreeHost(pages[i]));
    CUDA_CHECK(cudaEventDestroy(filled[i]));
    CUDA_CHECK(cudaEventDestroy(sent[i]));
  }
  CUDA_CHECK(cudaStreamDestroy(fills));
  CUDA_CHECK(cudaStreamDestroy(copies));
}

int main() {
  return corpus_check(PART * PARTS, launch, corpus_plus_one);
}
