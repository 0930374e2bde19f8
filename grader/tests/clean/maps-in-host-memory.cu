// Tensor maps lie in page-locked and in managed memory, where kernels find them by a pointer. The host writes
// the next one when the kernel that uses the last one is done.
#include "corpus.h"
#include "tma-map-update.cuh"

constexpr uint32_t SIDE = 16, BOX = SIDE * SIDE;

__global__ void kernel(int *out, const CUtensorMap *map) {
  __shared__ alignas(128) int box[SIDE][SIDE];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_proxy_tensormap_acquire_sys(map);
    expect_bytes_and_arrive(&bar, sizeof box);
    cp_async_bulk_tensor_2d_global_to_shared(box, map, 0, 0, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < BOX; i += blockDim.x)
    out[i] = box[i / SIDE][i % SIDE] + 1;
}

static void launch(int *out, const int *in) {
  cudaStream_t work;
  CUtensorMap *locked, *managed, *there;
  const CUtensorMap maps[4] = {
      corpus_map(in, SIDE, SIDE, SIDE, SIDE), corpus_map(in + BOX, SIDE, SIDE, SIDE, SIDE),
      corpus_map(in + 2 * BOX, SIDE, SIDE, SIDE, SIDE), corpus_map(in + 3 * BOX, SIDE, SIDE, SIDE, SIDE)};
  CUDA_CHECK(cudaMallocHost(&locked, sizeof *locked));
  CUDA_CHECK(cudaMallocManaged(&managed, sizeof *managed));
  CUDA_CHECK(cudaMalloc(&there, sizeof *there));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));

  *locked = maps[0];
  kernel<<<1, 64, 0, work>>>(out, locked);
  CUDA_CHECK(cudaStreamSynchronize(work)); // before the map in page-locked memory changes
  *locked = maps[1];
  kernel<<<1, 64, 0, work>>>(out + BOX, locked);

  *managed = maps[2];
  CUDA_CHECK(cudaDeviceSynchronize());
  kernel<<<1, 64, 0, work>>>(out + 2 * BOX, managed);
  CUDA_CHECK(cudaDeviceSynchronize()); // before the map in managed memory changes
  *managed = maps[3];
  CUDA_CHECK(cudaMemcpyAsync(there, managed, sizeof *there, cudaMemcpyDefault, work));
  kernel<<<1, 64, 0, work>>>(out + 3 * BOX, there);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamDestroy(work));
  CUDA_CHECK(cudaFreeHost(locked));
  CUDA_CHECK(cudaFree(managed));
  CUDA_CHECK(cudaFree(there));
}

int main() {
  return corpus_check(4 * BOX, launch, corpus_plus_one);
}
