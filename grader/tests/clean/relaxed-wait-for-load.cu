// One thread waits for a load with .relaxed and a fence, and hands the tile on by a flag that it releases. A
// warp that isn't needed leaves at once.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(16) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  __shared__ int flag;
  const size_t first = size_t{blockIdx.x} * CORPUS_TILE;
  if (threadIdx.x == 0) {
    flag = 0;
    init_barrier(&bar, 1);
  }
  __syncthreads();
  if (threadIdx.x >= 96) return;
  if (threadIdx.x == 0) {
    expect_bytes_and_arrive(&bar, sizeof tile);
    cp_async_bulk_global_to_shared(tile, in + first, sizeof tile, &bar);
    uint32_t done;
    do {
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], 0;\n"
                   "  selp.u32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&bar)))
                   : "memory");
    } while (!done);
    asm volatile("fence.acq_rel.cta;" ::: "memory");
    asm volatile(
        "st.relaxed.cta.shared.u32 [%0], 1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&flag)))
        : "memory");
  }
  int seen;
  do {
    asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
                 : "=r"(seen)
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&flag)))
                 : "memory");
  } while (!seen);
  for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += 96)
    out[first + i] = tile[i] + 1;
}

int main() {
  return corpus_check(
      CORPUS_BLOCKS * CORPUS_TILE, [](int *out, const int *in) { kernel<<<CORPUS_BLOCKS, 128>>>(out, in); },
      corpus_plus_one);
}
