// Two staging tiles in turns: thread 0 waits until the older store has been read, and the four warps meet
// before they write there. Their barriers have numbers of their own; a fifth warp takes no part.
#include "corpus.h"

__device__ static void meet(int number) {
  asm volatile("bar.sync %0, 128;" ::"r"(number) : "memory");
}

__global__ void kernel(int *out, const int *in, int turns) {
  __shared__ alignas(128) int tile[2][128];
  if (threadIdx.x >= 128) return;
  for (int turn = 0; turn < turns; turn++) {
    int *const mine = tile[turn % 2];
    if (threadIdx.x == 0) tma_wait_until_read_pending<1>();
    meet(1);
    mine[127 - threadIdx.x] = in[turn * 128 + threadIdx.x];
    async_proxy_fence();
    meet(2);
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + turn * 128, mine, sizeof tile[0]);
      tma_commit_group();
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}

int main() {
  return corpus_check(
      9 * 128, [](int *out, const int *in) { kernel<<<1, 160>>>(out, in, 9); },
      [](const std::vector<int> &in, size_t i) { return in[i / 128 * 128 + 127 - i % 128]; });
}
