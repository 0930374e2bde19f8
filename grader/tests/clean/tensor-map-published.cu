// One thread writes the map into global memory and releases it. Another thread acquires it and loads with it.
#include "corpus.h"

__device__ alignas(128) CUtensorMap published;

__global__ void kernel(int *out, const __grid_constant__ CUtensorMap from) {
  __shared__ alignas(128) int box[16][16];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    published = from;
    fence_proxy_tensormap_release_gpu();
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    fence_proxy_tensormap_acquire_gpu(&published);
    expect_bytes_and_arrive(&bar, sizeof box);
    cp_async_bulk_tensor_2d_global_to_shared(box, &published, 0, 0, &bar);
  }
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x)
    out[i] = box[i / 16][i % 16] + 1;
}

int main() {
  return corpus_check(
      256, [](int *out, const int *in) { kernel<<<1, 64>>>(out, corpus_map(in, 16, 16, 16, 16)); },
      corpus_plus_one);
}
