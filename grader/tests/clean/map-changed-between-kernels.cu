// A tensor map in global memory is replaced by a copy in another stream when the kernel that uses it is done;
// the next kernel waits for the copy.
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
  cudaStream_t work, copies;
  cudaEvent_t used, copied;
  CUtensorMap *there, *maps;
  CUDA_CHECK(cudaMalloc(&there, sizeof *there));
  CUDA_CHECK(cudaMallocHost(&maps, 2 * sizeof *maps));
  const CUtensorMap first = corpus_map(in, SIDE, SIDE, SIDE, SIDE),
                    second = corpus_map(in + BOX, SIDE, SIDE, SIDE, SIDE);
  maps[0] = first;
  maps[1] = second;
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  CUDA_CHECK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  for (uint32_t turn = 0; turn < 2; turn++) {
    if (turn > 0) CUDA_CHECK(cudaStreamWaitEvent(copies, used, 0));
    CUDA_CHECK(cudaMemcpyAsync(there, maps + turn, sizeof *there, cudaMemcpyHostToDevice, copies));
    CUDA_CHECK(cudaEventRecord(copied, copies));
    CUDA_CHECK(cudaStreamWaitEvent(work, copied, 0));
    kernel<<<1, 64, 0, work>>>(out + turn * BOX, there);
    CUDA_CHECK(cudaEventRecord(used, work));
  }
  CUDA_CHECK(cudaStreamSynchronize(work));
  CUDA_CHECK(cudaStreamDestroy(work));
  CUDA_CHECK(cudaStreamDestroy(copies));
  CUDA_CHECK(cudaEventDestroy(used));
  CUDA_CHECK(cudaEventDestroy(copied));
  CUDA_CHECK(cudaFreeHost(maps));
  CUDA_CHECK(cudaFree(there));
}

int main() {
  return corpus_check(2 * BOX, launch, corpus_plus_one);
}
