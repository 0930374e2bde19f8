// cudaMemcpy from pageable memory may return before the bytes are on the device. Streams that the default
// stream doesn't order wait for an event behind the copy, or the host waits; the others need nothing.
#include "corpus.h"

constexpr int COUNT = 1024;

__global__ void add(int *to, const int *from, const int *more) {
  to[threadIdx.x] = from[threadIdx.x] + more[threadIdx.x];
}

static void launch(int *out, const int *in) {
  cudaStream_t free_one, held_one;
  cudaEvent_t there;
  int *ones, *twos, *threes;
  std::vector<int> values(COUNT, 1);
  CUDA_CHECK(cudaMalloc(&ones, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&twos, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&threes, COUNT * sizeof(int)));
  CUDA_CHECK(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&held_one, cudaStreamDefault));
  CUDA_CHECK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));

  CUDA_CHECK(cudaMemcpy(ones, values.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaEventRecord(there, cudaStreamLegacy));
  CUDA_CHECK(cudaStreamWaitEvent(free_one, there, 0));
  values.assign(COUNT, 2); // the call has taken what was there
  add<<<1, COUNT, 0, free_one>>>(out, in, ones);
  add<<<1, COUNT, 0, free_one>>>(out + COUNT, in + COUNT, ones);

  CUDA_CHECK(cudaMemcpy(twos, values.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaStreamSynchronize(cudaStreamLegacy));
  add<<<1, COUNT, 0, free_one>>>(out, out, twos);

  CUDA_CHECK(cudaStreamSynchronize(free_one));
  values.assign(COUNT, 3);
  CUDA_CHECK(cudaMemcpy(threes, values.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice));
  add<<<1, COUNT, 0, held_one>>>(out + COUNT, out + COUNT, threes);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamDestroy(free_one));
  CUDA_CHECK(cudaStreamDestroy(held_one));
  CUDA_CHECK(cudaEventDestroy(there));
  CUDA_CHECK(cudaFree(ones));
  CUDA_CHECK(cudaFree(twos));
  CUDA_CHECK(cudaFree(threes));
}

int main() {
  return corpus_check(2 * COUNT, launch,
                      [](const std::vector<int> &in, size_t i) { return in[i] + (i < COUNT ? 3 : 4); });
}
