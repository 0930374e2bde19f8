// Threads of one block write words into the other block and arrive on its barrier; whoever waits there
// acquires with the cluster's scope. The stage is given back by an arrival whose wait has the block's scope,
// as libraries spell it: it hands over no data.
#include "corpus.h"
#include "tma-cluster.cuh"

constexpr uint32_t ROUNDS = 4, WORDS = 64;

__global__ void __cluster_dims__(2, 1, 1) kernel(int *out, const int *in) {
  __shared__ int words[WORDS];
  __shared__ uint64_t full, empty;
  const uint32_t rank = blockIdx.x % 2, peer = rank ^ 1;
  if (threadIdx.x == 0) {
    init_barrier(&full, WORDS);
    init_barrier(&empty, WORDS);
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  for (uint32_t r = 0; r < ROUNDS; r++) {
    const uint32_t at = (blockIdx.x * ROUNDS + r) * WORDS + threadIdx.x;
    wait(&empty, (r & 1) ^ 1);
    asm volatile("st.shared::cluster.u32 [%0], %1;"
                 :
                 : "r"(map_to_block(&words[threadIdx.x], peer)), "r"(in[at])
                 : "memory");
    arrive_remote(map_to_block(&full, peer));
    wait_cluster(&full, r & 1);
    out[((blockIdx.x ^ 1) * ROUNDS + r) * WORDS + threadIdx.x] = words[threadIdx.x] + 1;
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];"
                 :
                 : "r"(map_to_block(&empty, peer))
                 : "memory");
  }
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      4 * ROUNDS * WORDS, [](int *out, const int *in) { kernel<<<4, WORDS>>>(out, in); }, corpus_plus_one);
}
