// Each thread writes into the next block's shared memory. Its own fence orders the writes, so the arrival at
// the cluster's barrier may be relaxed. The second meeting protects reads only, and is relaxed without a
// fence.
#include "corpus.h"

constexpr uint32_t BLOCKS = 4, THREADS = 64;

__device__ static void store_remote(uint32_t remote, int value) {
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote), "r"(value) : "memory");
}

__global__ void __cluster_dims__(BLOCKS) kernel(int *out, const int *in) {
  __shared__ int box[THREADS];
  const uint32_t i = blockIdx.x * THREADS + threadIdx.x, next = (cluster_block_rank() + 1) % BLOCKS;
  int value = in[i];
  cluster_arrive();
  cluster_wait();
  for (uint32_t turn = 0; turn < BLOCKS; turn++) {
    store_remote(map_to_block(&box[threadIdx.x], next), value);
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    cluster_arrive_relaxed();
    cluster_wait();
    value = box[threadIdx.x] + 1;
    cluster_arrive_relaxed();
    cluster_wait();
  }
  out[i] = value;
}

int main() {
  return corpus_check(
      2 * BLOCKS * THREADS, [](int *out, const int *in) { kernel<<<2 * BLOCKS, THREADS>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i] + static_cast<int>(BLOCKS); });
}
