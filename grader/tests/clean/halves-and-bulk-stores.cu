// Elements of two bytes that bulk stores and ordinary stores of several blocks write side by side, and hand
// over by flags: what only shares a word is no conflict, and what is ordered is none either.
#include "corpus.h"
#include <cuda/atomic>

constexpr uint32_t TILE = 128, BODY = 96; // elements; the rest is stored by threads
__device__ alignas(128) uint16_t scratch[2 * CORPUS_BLOCKS * TILE];
__device__ unsigned int written[CORPUS_BLOCKS], stored[CORPUS_BLOCKS];

using flag_ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__device__ static void await(unsigned int *flag) {
  if (threadIdx.x == 0)
    while (flag_ref(*flag).load(cuda::memory_order_acquire) == 0) {
    }
  __syncthreads();
}

__device__ static void signal(unsigned int *flag) {
  __syncthreads();
  if (threadIdx.x == 0) flag_ref(*flag).store(1, cuda::memory_order_release);
}

// The neighbour writes every second element, then this block stores the tile, then the neighbour reads it.
__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) uint16_t tile[TILE];
  const uint32_t own = blockIdx.x, next = (blockIdx.x + 1) % gridDim.x;
  if (threadIdx.x % 2 == 0) scratch[next * TILE + threadIdx.x] = 7;
  signal(&written[next]);
  tile[threadIdx.x] = static_cast<uint16_t>(in[own * TILE + threadIdx.x]);
  async_proxy_fence();
  await(&written[own]);
  if (threadIdx.x == 0) {
    async_proxy_fence_all();
    cp_async_bulk_shared_to_global(scratch + own * TILE, tile, BODY * sizeof tile[0]);
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
  if (threadIdx.x >= BODY) scratch[own * TILE + threadIdx.x] = tile[threadIdx.x];
  signal(&stored[own]);
  await(&stored[next]);
  out[next * TILE + threadIdx.x] = scratch[next * TILE + threadIdx.x] + 1;
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * TILE, [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, TILE>>>(out, in); },
      corpus_plus_one);
}
