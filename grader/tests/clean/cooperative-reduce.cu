// cooperative_groups: tiles of a warp, reduce, and a coalesced group in divergent code.
#include "corpus.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

__global__ void kernel(int *out, const int *in) {
  __shared__ int sums[2];
  const cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  const auto warp = cooperative_groups::tiled_partition<32>(block);
  const int value = in[blockIdx.x * 64 + threadIdx.x];
  const int sum = cooperative_groups::reduce(warp, value, cooperative_groups::plus<int>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;
  block.sync();
  int extra = 0;
  if (threadIdx.x % 2 == 0) extra = static_cast<int>(cooperative_groups::coalesced_threads().size());
  out[blockIdx.x * 64 + threadIdx.x] = sums[0] + sums[1] + extra;
}

int main() {
  return corpus_check(
      2 * 64, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = i % 2 == 0 ? 16 : 0;
        for (size_t j = i / 64 * 64; j < i / 64 * 64 + 64; j++)
          sum += in[j];
        return sum;
      });
}
