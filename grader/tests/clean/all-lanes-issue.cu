// All 32 lanes announce and load a row each, on one barrier with a count of 32.
#include "corpus.h"

constexpr uint32_t ROW = 8;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[32 * ROW];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * 32 * ROW;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 32);
    async_proxy_fence();
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    expect_bytes_and_arrive(&bar, ROW * sizeof(int));
    cp_async_bulk_global_to_shared(tile + threadIdx.x * ROW, in + first + threadIdx.x * ROW,
                                   ROW * sizeof(int), &bar);
  }
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < 32 * ROW; i += blockDim.x)
    out[first + i] = tile[32 * ROW - 1 - i];
}

int main() {
  return corpus_check(
      2 * 32 * ROW, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        return in[i / (32 * ROW) * 32 * ROW + 32 * ROW - 1 - i % (32 * ROW)];
      });
}
