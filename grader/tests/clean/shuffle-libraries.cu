// Libraries whose warps shuffle with some lanes only: reductions and scans of cub over part of a warp, and
// groups of cooperative groups.
#include "corpus.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

namespace cg = cooperative_groups;

__global__ void kernel(int *out, const int *in) {
  using reduce = cub::WarpReduce<int>;
  using narrow = cub::WarpScan<int, 8>;
  using odd = cub::WarpReduce<int, 12>;
  __shared__ reduce::TempStorage reduces[2];
  __shared__ narrow::TempStorage scans[8];
  __shared__ odd::TempStorage odds[2];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int value = in[blockIdx.x * 64 + threadIdx.x];
  int sum = reduce(reduces[warp]).Sum(value, 21), scan = 0, some = 0;
  narrow(scans[threadIdx.x / 8]).InclusiveSum(value, scan);
  int result = scan;
  if (lane == 0) result += sum;
  if (lane < 12) {
    const int part = odd(odds[warp]).Sum(value);
    if (lane == 0) result += part;
  }
  if (lane % 3 == 0) {
    cg::coalesced_group group = cg::coalesced_threads();
    some = cg::reduce(group, value, cg::plus<int>());
    const int next = group.shfl_down(value, 1);
    if (group.thread_rank() + 1 < group.size()) some += next;
  }
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
  result += some + tile.shfl_xor(value, 3);
  out[blockIdx.x * 64 + threadIdx.x] = result;
}

int main() {
  return corpus_check(
      2 * 64, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const size_t warp = i / 32 * 32;
        const int lane = static_cast<int>(i % 32);
        unsigned result = 0;
        for (size_t k = i / 8 * 8; k <= i; k++)
          result += in[k];
        if (lane == 0)
          for (size_t k = 0; k < 21; k++)
            result += in[warp + k];
        if (lane == 0)
          for (size_t k = 0; k < 12; k++)
            result += in[i + k];
        if (lane % 3 == 0) {
          for (size_t k = 0; k < 32; k += 3)
            result += in[warp + k];
          if (lane + 3 < 32) result += in[i + 3];
        }
        return static_cast<int>(result + in[i / 16 * 16 + ((i % 16) ^ 3)]);
      });
}
