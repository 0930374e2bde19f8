// Page-locked words go round: a kernel in one stream writes them, a host function in another stream adds to
// them, a kernel in a third one reads them. Events hand them over.
#include "corpus.h"

constexpr int COUNT = 1024;

__global__ void halve(int *to, const int *from) {
  to[threadIdx.x] = from[threadIdx.x] / 2;
}

__global__ void twice_and_rest(int *to, const int *words, const int *from) {
  to[threadIdx.x] = 2 * words[threadIdx.x] + from[threadIdx.x] % 2;
}

static void add_one(void *words) {
  for (int i = 0; i < COUNT; i++)
    static_cast<int *>(words)[i] += 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t streams[3];
  cudaEvent_t done[2];
  int *words;
  CUDA_CHECK(cudaHostAlloc(&words, COUNT * sizeof(int), cudaHostAllocMapped));
  for (cudaStream_t &stream : streams)
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (cudaEvent_t &event : done)
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  halve<<<1, COUNT, 0, streams[0]>>>(words, in);
  CUDA_CHECK(cudaEventRecord(done[0], streams[0]));
  CUDA_CHECK(cudaStreamWaitEvent(streams[1], done[0], 0));
  CUDA_CHECK(cudaLaunchHostFunc(streams[1], add_one, words));
  CUDA_CHECK(cudaEventRecord(done[1], streams[1]));
  CUDA_CHECK(cudaStreamWaitEvent(streams[2], done[1], 0));
  twice_and_rest<<<1, COUNT, 0, streams[2]>>>(out, words, in);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (cudaStream_t stream : streams)
    CUDA_CHECK(cudaStreamDestroy(stream));
  for (cudaEvent_t event : done)
    CUDA_CHECK(cudaEventDestroy(event));
  CUDA_CHECK(cudaFreeHost(words));
}

int main() {
  return corpus_check(COUNT, launch, [](const std::vector<int> &in, size_t i) { return in[i] + 2; });
}
