// Two streams hand a buffer to and fro by values in the device's memory, which count up. The waits are called
// before the values are written.
#include "stream-values.h"

constexpr int COUNT = 1024, ROUNDS = 3;

__global__ void add(int *to, const int *from, int more) {
  to[threadIdx.x] = from[threadIdx.x] + more;
}

static void launch(int *out, const int *in) {
  cudaStream_t ping, pong;
  unsigned *filled; // and, behind it, taken
  int *buffer;
  CUDA_CHECK(cudaStreamCreateWithFlags(&ping, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&pong, cudaStreamNonBlocking));
  CUDA_CHECK(cudaMalloc(&filled, 2 * sizeof(unsigned)));
  CUDA_CHECK(cudaMalloc(&buffer, COUNT * sizeof(int)));
  CUDA_CHECK(cudaMemset(filled, 0, 2 * sizeof(unsigned)));
  add<<<1, COUNT>>>(buffer, in, 0); // loads its code: that may wait for all streams
  CUDA_CHECK(cudaDeviceSynchronize());
  for (unsigned i = 0; i < ROUNDS; i++) {
    stream_waits(pong, filled, i + 1);
    add<<<1, COUNT, 0, pong>>>(out, buffer, static_cast<int>(i));
    stream_writes(pong, filled + 1, i + 1);
  }
  for (unsigned i = 0; i < ROUNDS; i++) {
    stream_waits(ping, filled + 1, i);
    add<<<1, COUNT, 0, ping>>>(buffer, in, 1 - static_cast<int>(i));
    stream_writes(ping, filled, i + 1);
  }
  CUDA_CHECK(cudaStreamSynchronize(pong));
  CUDA_CHECK(cudaStreamSynchronize(ping));
  CUDA_CHECK(cudaFree(filled));
  CUDA_CHECK(cudaFree(buffer));
  CUDA_CHECK(cudaStreamDestroy(ping));
  CUDA_CHECK(cudaStreamDestroy(pong));
}

int main() {
  return corpus_check(COUNT, launch, corpus_plus_one);
}
