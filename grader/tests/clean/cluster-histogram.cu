// The bins of a histogram are spread over a cluster. Each block clears its own, all meet, and each thread
// counts in the block that holds the bin.
#include "corpus.h"
#include "tma-cluster.cuh"

constexpr uint32_t BLOCKS = 4, BINS = 16; // in each block

__global__ void __cluster_dims__(BLOCKS) kernel(int *out, const int *in) {
  __shared__ int bins[BINS];
  if (threadIdx.x < BINS) bins[threadIdx.x] = 0;
  cluster_arrive();
  cluster_wait();
  const uint32_t bin = static_cast<uint32_t>(in[blockIdx.x * blockDim.x + threadIdx.x]) % (BLOCKS * BINS);
  const uint32_t place = map_to_block(&bins[bin % BINS], bin / BINS);
  asm volatile("red.relaxed.cluster.shared::cluster.add.s32 [%0], 1;" ::"r"(place) : "memory");
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x < BINS) out[blockIdx.x * BINS + threadIdx.x] = bins[threadIdx.x];
}

int main() {
  return corpus_check(
      BLOCKS * 64, [](int *out, const int *in) { kernel<<<BLOCKS, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int count = 0;
        for (const int value : in)
          count += i < BLOCKS * BINS && static_cast<uint32_t>(value) % (BLOCKS * BINS) == i;
        return count;
      });
}
