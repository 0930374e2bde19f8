// Each thread writes its own block's shared memory, and reads the next block's. A fence that is restricted to
// shared memory orders the write, so the arrival at the cluster's barrier may be relaxed; another one follows
// the wait.
#include "corpus.h"

constexpr uint32_t BLOCKS = 4, THREADS = 64;

__device__ static int load_remote(uint32_t remote) {
  int value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");
  return value;
}

__global__ void __cluster_dims__(BLOCKS) kernel(int *out, const int *in) {
  __shared__ int box[THREADS];
  const uint32_t i = blockIdx.x * THREADS + threadIdx.x, next = (cluster_block_rank() + 1) % BLOCKS;
  int value = in[i];
  for (uint32_t turn = 0; turn < BLOCKS; turn++) {
    box[threadIdx.x] = value;
    asm volatile("fence.release.sync_restrict::shared::cta.cluster;" ::: "memory");
    cluster_arrive_relaxed();
    cluster_wait();
    asm volatile("fence.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
    value = load_remote(map_to_block(&box[threadIdx.x], next)) + 1;
    cluster_arrive();
    cluster_wait();
  }
  out[i] = value;
}

int main() {
  return corpus_check(
      2 * BLOCKS * THREADS, [](int *out, const int *in) { kernel<<<2 * BLOCKS, THREADS>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i] + static_cast<int>(BLOCKS); });
}
