// cuda::pipeline with thread scope, made of two stages of cp.async.
#include "corpus.h"
#include <cuda/pipeline>

constexpr uint32_t TILES = 4;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int stages[2][128];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const size_t first = size_t{blockIdx.x} * TILES * 128;
  const auto load = [&](uint32_t t) {
    pipe.producer_acquire();
    if (t < TILES)
      cuda::memcpy_async(&stages[t % 2][threadIdx.x * 4], in + first + t * 128 + threadIdx.x * 4,
                         cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
  };
  load(0);
  for (uint32_t t = 0; t < TILES; t++) {
    load(t + 1);
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < 128; i += blockDim.x)
      out[first + t * 128 + i] = stages[t % 2][127 - i];
    pipe.consumer_release();
    __syncthreads();
  }
}

int main() {
  return corpus_check(
      2 * TILES * 128, [](int *out, const int *in) { kernel<<<2, 32>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i / 128 * 128 + 127 - i % 128]; });
}
