// Two blocks tell each other that their data are there, by arrivals on each other's barrier. A relaxed
// meeting and fence.mbarrier_init make the barriers known. The warps that don't wait go ahead to the last
// meeting.
#include "corpus.h"

constexpr uint32_t THREADS = 64;

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ int data[32];
  __shared__ uint64_t bar;
  const uint32_t other = cluster_block_rank() ^ 1, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
  }
  cluster_arrive_relaxed();
  cluster_wait();
  if (threadIdx.x < 32) {
    data[lane] = in[blockIdx.x * 32 + lane] + 1;
    __syncwarp();
    if (lane == 0) arrive_remote(map_to_block(&bar, other));
    wait_cluster(&bar, 0);
    int value;
    asm volatile("ld.shared::cluster.s32 %0, [%1];"
                 : "=r"(value)
                 : "r"(map_to_block(&data[lane], other))
                 : "memory");
    out[(blockIdx.x ^ 1) * 32 + lane] = value;
  }
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      4 * 32, [](int *out, const int *in) { kernel<<<4, THREADS>>>(out, in); }, corpus_plus_one);
}
