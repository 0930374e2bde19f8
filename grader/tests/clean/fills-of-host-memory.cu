// cudaMemsetAsync fills page-locked and managed memory some time after its call: another stream waits for an
// event behind it, the host for the stream. cudaMemset of page-locked memory returns when it is done.
#include "corpus.h"

constexpr int COUNT = 1024;

__global__ void add(int *to, const int *from, const int *more) {
  to[threadIdx.x] = from[threadIdx.x] + more[threadIdx.x] + 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t fills, work;
  cudaEvent_t filled, used;
  int *pages, *notes, *words;
  CUDA_CHECK(cudaMallocHost(&pages, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMallocHost(&notes, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMallocManaged(&words, COUNT * sizeof(int)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&fills, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
  for (int i = 0; i < COUNT; i++)
    pages[i] = notes[i] = words[i] = 7;

  CUDA_CHECK(cudaMemsetAsync(pages, 0, COUNT * sizeof(int), fills));
  CUDA_CHECK(cudaEventRecord(filled, fills));
  CUDA_CHECK(cudaStreamWaitEvent(work, filled, 0));
  add<<<1, COUNT, 0, work>>>(out, in, pages);
  CUDA_CHECK(cudaEventRecord(used, work));

  CUDA_CHECK(cudaMemset(notes, 0, COUNT * sizeof(int)));
  int sum = notes[5];
  CUDA_CHECK(cudaMemsetAsync(words, 0, COUNT * sizeof(int), fills));
  CUDA_CHECK(cudaStreamSynchronize(fills));
  sum += words[COUNT - 1];

  CUDA_CHECK(cudaStreamWaitEvent(fills, used, 0));
  CUDA_CHECK(cudaMemsetAsync(pages, 1, COUNT * sizeof(int), fills));
  CUDA_CHECK(cudaEventRecord(filled, fills));
  CUDA_CHECK(cudaEventSynchronize(filled));
  check_that(pages[9] == 0x01010101 && sum == 0, "the host reads %d and %d", pages[9], sum);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamDestroy(fills));
  CUDA_CHECK(cudaStreamDestroy(work));
  CUDA_CHECK(cudaEventDestroy(filled));
  CUDA_CHECK(cudaEventDestroy(used));
  CUDA_CHECK(cudaFreeHost(pages));
  CUDA_CHECK(cudaFreeHost(notes));
  CUDA_CHECK(cudaFree(words));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
