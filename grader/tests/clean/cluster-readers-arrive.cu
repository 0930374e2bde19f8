// Each block reads its neighbour's memory by ld.shared::cluster and then arrives on the neighbour's barrier;
// the neighbour waits for that before it ends, so no cluster barrier is needed at the end. Written in PTX.
#include "corpus.h"

__device__ static int read_of_block(const int *mine, uint32_t rank) {
  int value;
  asm volatile("{\n"
               ".reg .b32 there;\n"
               "mapa.shared::cluster.u32 there, %1, %2;\n"
               "ld.shared::cluster.s32 %0, [there];\n"
               "}"
               : "=r"(value)
               : "r"(tma_shared_address(mine)), "r"(rank)
               : "memory");
  return value;
}

__device__ static void arrive_at_block(uint64_t *bar, uint32_t rank) {
  asm volatile("{\n"
               ".reg .b32 there;\n"
               "mapa.shared::cluster.u32 there, %0, %1;\n"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n"
               "}" ::"r"(tma_shared_address(bar)),
               "r"(rank)
               : "memory");
}

__global__ void __cluster_dims__(4) kernel(int *out, const int *in) {
  __shared__ int values[64];
  __shared__ uint64_t read;
  const uint32_t rank = cluster_block_rank(), next = (rank + 1) % 4;
  if (threadIdx.x == 0) {
    init_barrier(&read, 64);
    fence_mbarrier_init();
  }
  values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  cluster_arrive();
  cluster_wait();
  const int value = read_of_block(&values[63 - threadIdx.x], next);
  arrive_at_block(&read, next);
  out[blockIdx.x * 64 + threadIdx.x] = value;
  wait_cluster(&read, 0); // this block's memory is needed until then
}

int main() {
  return corpus_check(
      8 * 64, [](int *out, const int *in) { kernel<<<8, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const size_t block = i / 64, next = block / 4 * 4 + (block + 1) % 4;
        return in[next * 64 + 63 - i % 64];
      });
}
