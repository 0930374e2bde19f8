// In clusters of four, the last block arrives once on a barrier of the first. The others have nothing to say
// and go on to the end. The initialisation is released by its fence, before the relaxed arrival.
#include "corpus.h"

__global__ void __cluster_dims__(4) kernel(int *out, const int *in) {
  __shared__ uint64_t bar;
  const uint32_t rank = blockIdx.x % 4;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_arrive_relaxed();
  cluster_wait();
  if (rank == 3 && threadIdx.x == 0) {
    uint32_t first;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(first) : "r"(tma_shared_address(&bar)));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(first) : "memory");
  }
  if (rank == 0 && threadIdx.x < 32) wait(&bar, 0);
  out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] + 1;
  cluster_arrive();
  cluster_wait();
}

int main() {
  return corpus_check(
      512, [](int *out, const int *in) { kernel<<<8, 64>>>(out, in); }, corpus_plus_one);
}
