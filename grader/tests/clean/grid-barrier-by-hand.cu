// A barrier of the whole grid, made of a counter: blocks write rows with ordinary stores, meet, and load
// columns of what the others wrote by bulk copies. The proxy fence stands on both sides of the meeting.
#include "corpus.h"

constexpr uint32_t BLOCKS = 4, PART = 64, ROW = BLOCKS * PART;

__device__ static void meet_grid(unsigned *counter) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(counter, 1);
    while (*reinterpret_cast<volatile unsigned *>(counter) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void kernel(int *out, const int *in, int *middle, unsigned *counter) {
  __shared__ alignas(16) int tile[BLOCKS][PART];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  for (uint32_t i = threadIdx.x; i < ROW; i += blockDim.x)
    middle[blockIdx.x * ROW + i] = in[blockIdx.x * ROW + i] + 1;
  async_proxy_fence_all(); // the writes, before other blocks' loads
  meet_grid(counter);
  async_proxy_fence_all();
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&bar, sizeof tile);
    for (uint32_t row = 0; row < BLOCKS; row++)
      cp_async_bulk_global_to_shared(tile[row], middle + row * ROW + blockIdx.x * PART, sizeof tile[row],
                                     &bar);
  }
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < ROW; i += blockDim.x)
    out[i / PART * ROW + blockIdx.x * PART + i % PART] = tile[i / PART][i % PART];
}

static void launch(int *out, const int *in) {
  int *middle;
  unsigned *counter;
  CUDA_CHECK(cudaMalloc(&middle, BLOCKS * ROW * sizeof *middle));
  CUDA_CHECK(cudaMalloc(&counter, sizeof *counter));
  CUDA_CHECK(cudaMemset(counter, 0, sizeof *counter));
  kernel<<<BLOCKS, 64>>>(out, in, middle, counter);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(middle));
  CUDA_CHECK(cudaFree(counter));
}

int main() {
  return corpus_check(BLOCKS * ROW, launch, corpus_plus_one);
}
