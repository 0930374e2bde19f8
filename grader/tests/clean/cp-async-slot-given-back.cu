// Of two blocks the first copies a slot of global memory with cp.async and gives it back by a flag; the
// second writes the slot anew. Three ways to know that the copies have read it:
// wait_all, wait_group, an mbarrier.
#include "corpus.h"

constexpr uint32_t WAYS = 3, THREADS = 64, SLOT = 4 * THREADS;
__device__ unsigned free_again[WAYS];

__device__ static void copy_16(int *to, const int *from) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
      "l"(__cvta_generic_to_global(from))
      : "memory");
}

__device__ static void wait_for_copies(uint32_t way, uint64_t *bar) {
  if (way == 0) {
    asm volatile("cp.async.wait_all;" ::: "memory");
  } else if (way == 1) {
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  } else {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(bar)))
                 : "memory");
    wait(bar, 0);
  }
}

__global__ void kernel(int *out, int *slots) {
  __shared__ alignas(16) int tile[SLOT];
  __shared__ uint64_t bar;
  const uint32_t way = blockIdx.x / 2;
  int *slot = slots + way * SLOT;
  if (threadIdx.x == 0) init_barrier(&bar, THREADS);
  __syncthreads();
  if (blockIdx.x % 2 == 0) {
    copy_16(tile + 4 * threadIdx.x, slot + 4 * threadIdx.x);
    wait_for_copies(way, &bar);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(&free_again[way], 1);
    }
    for (uint32_t i = threadIdx.x; i < SLOT; i += THREADS)
      out[way * SLOT + i] = tile[i] + 1;
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(&free_again[way], 0) == 0)
        __nanosleep(100);
      __threadfence();
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < SLOT; i += THREADS)
      slot[i] = -1;
  }
}

int main() {
  return corpus_check(
      WAYS * SLOT,
      [](int *out, const int *in) {
        const unsigned none[WAYS] = {};
        CUDA_CHECK(cudaMemcpyToSymbol(free_again, none, sizeof none));
        int *slots;
        CUDA_CHECK(cudaMalloc(&slots, WAYS * SLOT * sizeof(int)));
        CUDA_CHECK(cudaMemcpy(slots, in, WAYS * SLOT * sizeof(int), cudaMemcpyDeviceToDevice));
        kernel<<<2 * WAYS, THREADS>>>(out, slots);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(slots));
      },
      corpus_plus_one);
}
