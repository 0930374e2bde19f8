// A block of a pair writes into the other one's shared memory, and raises a flag there: a release whose scope
// holds both blocks.
#include "corpus.h"

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ int flag, values[32];
  if (threadIdx.x == 0) flag = 0;
  cluster_arrive();
  cluster_wait();
  if (cluster_block_rank() == 0) {
    const uint32_t there = map_to_block(&values[threadIdx.x], 1), raised = map_to_block(&flag, 1);
    asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(there), "r"(in[threadIdx.x] + 1) : "memory");
    __syncwarp();
    if (threadIdx.x == 0)
      asm volatile("st.release.cluster.shared::cluster.s32 [%0], 1;" ::"r"(raised) : "memory");
    return;
  }
  const uint32_t own = static_cast<uint32_t>(__cvta_generic_to_shared(&flag));
  int seen = 0;
  while (!seen)
    asm volatile("ld.acquire.cluster.shared::cta.s32 %0, [%1];" : "=r"(seen) : "r"(own) : "memory");
  out[threadIdx.x] = values[threadIdx.x];
}

int main() {
  return corpus_check(
      32, [](int *out, const int *in) { kernel<<<2, 32>>>(out, in); }, corpus_plus_one);
}
