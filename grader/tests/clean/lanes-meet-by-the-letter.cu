// options: --strict
// What one lane of a warp hands to another, by the letter of the PTX ISA: __syncwarp() stands between, beside
// the election, the shuffle or the vote that comes anyhow.
#include "corpus.h"

constexpr uint32_t WARPS = 3, PART = WARPS * 32;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[WARPS][32];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, at = blockIdx.x * PART + threadIdx.x;
  tile[warp][lane] = in[at];
  int most = 0;
  if (warp == 0) {
    most = __shfl_sync(0xffffffff, in[at], 0) > 0;
  } else if (warp == 1) {
    most = __all_sync(0xffffffff, in[at] > 0);
  } else {
    most = static_cast<int>(__reduce_min_sync(0xffffffff, 1u));
  }
  __syncwarp();
  const int other = tile[warp][lane ^ 1] + most - 1;
  __syncwarp();
  tile[warp][lane ^ 1] = other + 1;
  async_proxy_fence();
  __syncwarp();
  if (elect_one()) {
    cp_async_bulk_shared_to_global(out + blockIdx.x * PART + warp * 32, tile[warp], sizeof tile[0]);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      2 * PART, [](int *out, const int *in) { kernel<<<2, PART>>>(out, in); }, corpus_plus_one);
}
