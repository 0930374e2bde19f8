// Two blocks write into each other's mailboxes and ring by remote arrivals; the bell's initialisation is
// known by a relaxed meeting. Before a mailbox is written again, a relaxed meeting tells that it has been
// read.
#include "corpus.h"

constexpr uint32_t THREADS = 64, ROUNDS = 3;

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ int mailbox[THREADS];
  __shared__ uint64_t bell;
  const uint32_t i = blockIdx.x * THREADS + threadIdx.x, other = cluster_block_rank() ^ 1;
  if (threadIdx.x == 0) {
    init_barrier(&bell, THREADS);
    fence_mbarrier_init();
  }
  cluster_arrive_relaxed();
  cluster_wait();
  int sum = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const uint32_t remote = map_to_block(&mailbox[threadIdx.x], other);
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote), "r"(in[i] + static_cast<int>(round))
                 : "memory");
    arrive_remote(map_to_block(&bell, other));
    wait_cluster(&bell, round & 1);
    sum += mailbox[threadIdx.x ^ 1];
    cluster_arrive_relaxed();
    cluster_wait();
  }
  out[i] = sum;
}

int main() {
  return corpus_check(
      4 * THREADS, [](int *out, const int *in) { kernel<<<4, THREADS>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return 3 * in[i ^ (THREADS + 1)] + 3; });
}
