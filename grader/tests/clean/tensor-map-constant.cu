// The map lies in __constant__ memory. The box is prefetched into L2 first.
#include "corpus.h"

__constant__ CUtensorMap from;

__global__ void kernel(int *out) {
  __shared__ alignas(128) int box[16][16];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    prefetch_tensormap(&from);
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof box);
    cp_async_bulk_tensor_2d_global_to_shared(box, &from, 0, blockIdx.x * 16, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x)
    out[blockIdx.x * 256 + i] = box[i / 16][i % 16] + 1;
}

int main() {
  return corpus_check(
      4 * 256,
      [](int *out, const int *in) {
        const CUtensorMap map = corpus_map(in, 16, 64, 16, 16);
        CUDA_CHECK(cudaMemcpyToSymbol(from, &map, sizeof map));
        kernel<<<4, 64>>>(out);
      },
      corpus_plus_one);
}
