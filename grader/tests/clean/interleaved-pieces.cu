// A row consists of 16-byte pieces from two sources in turn, and each source has a barrier of its own. Two
// groups of threads wait for one source each, and write their results back next to bytes of the other group.
#include "corpus.h"

constexpr uint32_t PIECES = 16;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int row[PIECES][2][4];
  __shared__ uint64_t bars[2];
  if (threadIdx.x < 2) {
    init_barrier(&bars[threadIdx.x], 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bars[threadIdx.x], PIECES * 16);
  }
  __syncthreads();
  const int *const from = in + blockIdx.x * PIECES * 8;
  int *const to = out + blockIdx.x * PIECES * 8;
  const uint32_t side = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane < PIECES)
    cp_async_bulk_global_to_shared(row[lane][side], from + side * PIECES * 4 + lane * 4, 16, &bars[side]);
  wait(&bars[side], 0);
  for (uint32_t i = lane; i < PIECES * 4; i += 32)
    row[i / 4][side][i % 4] += 1;
  async_proxy_fence();
  __syncwarp();
  if (lane < PIECES) cp_async_bulk_shared_to_global(to + side * PIECES * 4 + lane * 4, row[lane][side], 16);
  tma_commit_group();
  tma_wait_until_read_pending<0>();
}

int main() {
  return corpus_check(
      3 * PIECES * 8, [](int *out, const int *in) { kernel<<<3, 64>>>(out, in); }, corpus_plus_one);
}
