// Lane 0 announces the bytes of all 32 copies before the lanes issue them.
#include "corpus.h"

constexpr uint32_t ROW = 8;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[32 * ROW];
  __shared__ uint64_t bar;
  const size_t first = size_t{blockIdx.x} * 32 * ROW;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    expect_bytes_and_arrive(&bar, sizeof tile);
  }
  __syncwarp();
  cp_async_bulk_global_to_shared(tile + threadIdx.x * ROW, in + first + threadIdx.x * ROW, ROW * sizeof(int),
                                 &bar);
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < 32 * ROW; i += 32)
    out[first + i] = tile[i] + 1;
}

int main() {
  return corpus_check(
      2 * 32 * ROW, [](int *out, const int *in) { kernel<<<2, 32>>>(out, in); }, corpus_plus_one);
}
