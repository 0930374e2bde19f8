// One thread alone reads a tile, or a number that it then changes, and nothing orders that after the other
// threads' work: they don't touch it. But nvcc takes the loads out of the branches: every thread loads, and
// chooses afterwards.
#include "corpus.h"

constexpr uint32_t TURNS = 4;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[32];
  __shared__ int first, second;
  __shared__ uint64_t bar;
  int sum = 0;
  const uint32_t begin = blockIdx.x * TURNS * 32 + threadIdx.x;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    first = second = 0;
  }
  __syncthreads();
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    if (threadIdx.x == 0) {
      async_proxy_fence();
      expect_bytes_and_arrive(&bar, sizeof tile);
      cp_async_bulk_global_to_shared(tile, in + begin + turn * 32, sizeof tile, &bar);
    }
    if (threadIdx.x == 0) wait(&bar, turn & 1);
    const int own = in[begin + turn * 32];
    out[begin + turn * 32] = (threadIdx.x == 0 ? tile[0] : own) + 1;
    const int counted = threadIdx.x == 7 ? 3 * first + 1 : 0;
    sum += threadIdx.x == 7 && second > 100;
    if (threadIdx.x == 7) {
      first = counted;
      second = counted & 127;
    }
  }
  if (sum > static_cast<int>(TURNS)) out[begin] = 0;
}

int main() {
  return corpus_check(
      4 * TURNS * 32, [](int *out, const int *in) { kernel<<<4, 32>>>(out, in); }, corpus_plus_one);
}
