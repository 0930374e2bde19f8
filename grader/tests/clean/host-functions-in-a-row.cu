// Two host functions in a row in one stream: the first fills page-locked words, the second adds to them. Then
// a copy in another stream.
#include "corpus.h"

constexpr int COUNT = 1024;
constexpr size_t BYTES = COUNT * sizeof(int);

struct work {
  int *to;
  const int *from;
};

static void take(void *data) {
  const work *w = static_cast<const work *>(data);
  for (int i = 0; i < COUNT; i++)
    w->to[i] = w->from[i];
}

static void add_one(void *data) {
  const work *w = static_cast<const work *>(data);
  for (int i = 0; i < COUNT; i++)
    w->to[i] += 1;
}

static void launch(int *out, const int *in) {
  std::vector<int> source(COUNT);
  cudaStream_t functions, copies;
  cudaEvent_t filled;
  work w = {nullptr, source.data()};
  CUDA_CHECK(cudaMallocHost(&w.to, BYTES));
  CUDA_CHECK(cudaStreamCreateWithFlags(&functions, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  CUDA_CHECK(cudaMemcpy(source.data(), in, BYTES, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaLaunchHostFunc(functions, take, &w));
  CUDA_CHECK(cudaLaunchHostFunc(functions, add_one, &w));
  CUDA_CHECK(cudaEventRecord(filled, functions));
  CUDA_CHECK(cudaStreamWaitEvent(copies, filled, 0));
  CUDA_CHECK(cudaMemcpyAsync(out, w.to, BYTES, cudaMemcpyHostToDevice, copies));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFreeHost(w.to));
  CUDA_CHECK(cudaStreamDestroy(functions));
  CUDA_CHECK(cudaStreamDestroy(copies));
  CUDA_CHECK(cudaEventDestroy(filled));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
