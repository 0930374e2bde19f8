// In one block of the cluster only one warp goes on: the others end after their remote reads. Threads that
// have ended count as arrived, so the cluster's barrier at the end still keeps the memory that they read.
#include "corpus.h"
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void __cluster_dims__(2) kernel(int *out, const int *in) {
  __shared__ int values[64];
  const uint32_t rank = cluster_block_rank();
  values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  ptx::barrier_cluster_arrive(ptx::sem_release);
  ptx::barrier_cluster_wait(ptx::sem_acquire);
  int value;
  asm volatile("ld.shared::cluster.s32 %0, [%1];"
               : "=r"(value)
               : "r"(map_to_block(&values[threadIdx.x], rank ^ 1))
               : "memory");
  out[blockIdx.x * 64 + threadIdx.x] = value;
  if (rank == 1 && threadIdx.x >= 32) return;
  ptx::barrier_cluster_arrive();
  ptx::barrier_cluster_wait();
}

int main() {
  return corpus_check(
      4 * 64, [](int *out, const int *in) { kernel<<<4, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i ^ 64]; });
}
