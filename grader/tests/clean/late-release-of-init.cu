// Barriers are initialised, and blocks meet by a relaxed arrival for another reason. Before anybody arrives
// at another block's barrier, the initialisation is released, by a thread that tells one block alone.
#include "corpus.h"

__device__ static void arrive_at(uint64_t *bar, uint32_t rank) {
  uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(tma_shared_address(bar)), "r"(rank));
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
}

__global__ void __cluster_dims__(4) kernel(int *out, const int *in) {
  __shared__ uint64_t known, told;
  const uint32_t rank = blockIdx.x % 4;
  if (threadIdx.x == 0) {
    init_barrier(&known, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    init_barrier(&told, 1);
  }
  __syncthreads();
  cluster_arrive_relaxed();
  cluster_wait();
  if (rank != 3 && threadIdx.x == 37) arrive_at(&known, rank + 1); // tells the next block of `told`
  if (rank != 0 && threadIdx.x < 32) {
    wait_cluster(&known, 0);
    if (threadIdx.x == 0) arrive_at(&told, rank - 1);
  }
  if (rank != 3) wait_cluster(&told, 0);
  out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] + 1;
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      512, [](int *out, const int *in) { kernel<<<8, 64>>>(out, in); }, corpus_plus_one);
}
