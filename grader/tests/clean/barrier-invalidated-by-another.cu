// A barrier is invalidated by a thread that didn't wait on it: those who did have arrived at a named barrier,
// or on another mbarrier, since. And each half of a warp elects a lane of its own.
#include "corpus.h"

constexpr uint32_t HALF = 32;

__device__ static bool elect_of(uint32_t mask) {
  uint32_t elected;
  asm volatile("{\n.reg .pred p;\nelect.sync _|p, %1;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(elected)
               : "r"(mask)
               : "memory");
  return elected;
}

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[HALF];
  __shared__ uint64_t full, done;
  const size_t first = size_t{blockIdx.x} * HALF;
  if (threadIdx.x == 0) init_barrier(&done, HALF);
  for (uint32_t life = 0; life < 2; life++) {
    if (threadIdx.x == 0) {
      init_barrier(&full, 1);
      async_proxy_fence();
    }
    __syncthreads();
    if (threadIdx.x < HALF) {
      if (threadIdx.x == 0) {
        expect_bytes_and_arrive(&full, sizeof tile);
        cp_async_bulk_global_to_shared(tile, in + first, sizeof tile, &full);
      }
      wait(&full, 0);
      out[first + threadIdx.x] = tile[threadIdx.x] + 1;
      async_proxy_fence();
      if (life == 0)
        asm volatile("bar.arrive 1, 64;" ::: "memory");
      else
        arrive(&done);
    } else {
      if (life == 0)
        asm volatile("bar.sync 1, 64;" ::: "memory");
      else
        wait(&done, 0);
      const bool low = threadIdx.x < HALF + 16;
      if (low && elect_of(0x0000ffff)) inval_barrier(&full);
      if (!low && elect_of(0xffff0000) && life == 1) inval_barrier(&done);
    }
    __syncthreads();
  }
}

int main() {
  return corpus_check(
      2 * HALF, [](int *out, const int *in) { kernel<<<2, 2 * HALF>>>(out, in); }, corpus_plus_one);
}
