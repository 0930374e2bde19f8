// st.async: each thread stores its value into the neighbour's shared memory, and the bytes complete on the
// neighbour's barrier.
#include "corpus.h"

__global__ __cluster_dims__(2) void kernel(int *out, const int *in) {
  __shared__ alignas(16) int inbox[2][64];
  __shared__ uint64_t arrived;
  const uint32_t other = cluster_block_rank() ^ 1;
  if (threadIdx.x == 0) {
    init_barrier(&arrived, 1);
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  for (uint32_t round = 0; round < 2; round++) {
    if (threadIdx.x == 0) expect_bytes_and_arrive(&arrived, sizeof inbox[0]);
    const int value = in[(blockIdx.x * 2 + round) * 64 + threadIdx.x] + 1;
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
                     map_to_block(&inbox[round][threadIdx.x], other)),
                 "r"(value), "r"(map_to_block(&arrived, other))
                 : "memory");
    wait_cluster(&arrived, round);
    out[((blockIdx.x ^ 1) * 2 + round) * 64 + threadIdx.x] = inbox[round][threadIdx.x];
    cluster_arrive(); // the next round's bytes belong to the next phase on both sides
    cluster_wait();
  }
}

int main() {
  return corpus_check(
      4 * 128, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); }, corpus_plus_one);
}
