// Host functions work between copies and kernels of several streams: one fills the page that a copy reads,
// one adds to results that a copy has brought, one fills words that a kernel reads in the host's memory; a
// stream that blocks, the default stream, an event and a query order them.
#include "corpus.h"

#include <atomic>

constexpr int COUNT = 1024, PARTS = 4;

struct work {
  int *to;
  const int *from;
  std::atomic<bool> done;
};

static void take(void *data) {
  work *w = static_cast<work *>(data);
  for (int i = 0; i < COUNT; i++)
    w->to[i] = w->from[i] + 1;
  w->done = true;
}

static void take_in(cudaStream_t, cudaError_t, void *data) {
  take(data);
}

__global__ void plus(int *to, const int *from, int more) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + more;
}

static void launch(int *out, const int *in) {
  constexpr size_t BYTES = COUNT * sizeof(int);
  int *pages, *there;
  cudaStream_t work_stream, copies, blocking;
  cudaEvent_t filled, read;
  std::vector<int> source(PARTS * COUNT);
  CUDA_CHECK(cudaMallocHost(&pages, PARTS * BYTES));
  CUDA_CHECK(cudaMalloc(&there, PARTS * BYTES));
  CUDA_CHECK(cudaStreamCreateWithFlags(&work_stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreate(&blocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&read, cudaEventDisableTiming));
  CUDA_CHECK(cudaMemcpy(source.data(), in, PARTS * BYTES, cudaMemcpyDeviceToHost));
  memset(pages, 0, PARTS * BYTES);

  // a page for a copy, twice
  work first = {pages, source.data(), {false}}, again = {pages, source.data() + COUNT, {false}};
  CUDA_CHECK(cudaLaunchHostFunc(work_stream, take, &first));
  CUDA_CHECK(cudaEventRecord(filled, work_stream));
  CUDA_CHECK(cudaStreamWaitEvent(copies, filled, 0));
  CUDA_CHECK(cudaMemcpyAsync(there, pages, BYTES, cudaMemcpyHostToDevice, copies));
  plus<<<COUNT / 128, 128, 0, copies>>>(out, there, 0);
  CUDA_CHECK(cudaEventRecord(read, copies));
  CUDA_CHECK(cudaStreamWaitEvent(work_stream, read, 0));
  CUDA_CHECK(cudaLaunchHostFunc(work_stream, take, &again));
  while (cudaStreamQuery(work_stream) == cudaErrorNotReady) {
  }
  CUDA_CHECK(cudaMemcpyAsync(there + COUNT, pages, BYTES, cudaMemcpyHostToDevice, copies));
  plus<<<COUNT / 128, 128, 0, copies>>>(out + COUNT, there + COUNT, 0);

  // words that a kernel reads where they are
  work words = {pages + COUNT, source.data() + 2 * COUNT, {false}};
  CUDA_CHECK(cudaStreamAddCallback(work_stream, take_in, &words, 0));
  CUDA_CHECK(cudaStreamSynchronize(work_stream));
  plus<<<COUNT / 128, 128, 0, copies>>>(out + 2 * COUNT, pages + COUNT, 0);

  // results that a kernel has left there, and the default stream
  plus<<<COUNT / 128, 128, 0, blocking>>>(pages + 2 * COUNT, in + 3 * COUNT, 0);
  work last = {pages + 3 * COUNT, pages + 2 * COUNT, {false}};
  CUDA_CHECK(cudaLaunchHostFunc(blocking, take, &last));
  CUDA_CHECK(cudaMemcpy(out + 3 * COUNT, pages + 3 * COUNT, BYTES, cudaMemcpyHostToDevice));

  CUDA_CHECK(cudaDeviceSynchronize());
  check_that(first.done && again.done && words.done && last.done, "a function has not run");
  CUDA_CHECK(cudaFreeHost(pages));
  CUDA_CHECK(cudaFree(there));
  for (cudaStream_t stream : {work_stream, copies, blocking})
    CUDA_CHECK(cudaStreamDestroy(stream));
  for (cudaEvent_t event : {filled, read})
    CUDA_CHECK(cudaEventDestroy(event));
}

int main() {
  return corpus_check(PARTS * COUNT, launch, corpus_plus_one);
}
