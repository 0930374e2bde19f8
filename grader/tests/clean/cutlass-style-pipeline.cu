// As libraries write it: a pipeline state of stage and phase, an elected producer, consumer warps, and a
// try_wait loop with labels and a time hint.
#include "corpus.h"

constexpr uint32_t STAGES = 3, TILES = 8, CONSUMER_WARPS = 2;

struct pipeline_state {
  uint32_t index, phase;
  __device__ void advance() {
    if (++index == STAGES) {
      index = 0;
      phase ^= 1;
    }
  }
};

__device__ static void block_until(uint64_t *bar, uint32_t phase) {
  asm volatile("{\n"
               ".reg .pred done;\n"
               "LAB_WAIT:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1, %2;\n"
               "@done bra DONE;\n"
               "bra LAB_WAIT;\n"
               "DONE:\n"
               "}\n" ::"r"(tma_shared_address(bar)),
               "r"(phase), "r"(0x989680)
               : "memory");
}

__global__ void kernel(int *out, const int *in) {
  extern __shared__ int4 raw[];
  int *const base = reinterpret_cast<int *>((reinterpret_cast<uintptr_t>(raw) + 127) & ~uintptr_t{127});
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t warp = threadIdx.x / 32;
  if (warp == 0 && elect_one()) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], CONSUMER_WARPS);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * TILES * CORPUS_TILE;
  if (warp == CONSUMER_WARPS) {
    if (elect_one()) {
      pipeline_state state = {0, 1};
      for (uint32_t t = 0; t < TILES; t++, state.advance()) {
        block_until(&empty[state.index], state.phase);
        expect_bytes_and_arrive(&full[state.index], CORPUS_TILE * sizeof(int));
        cp_async_bulk_global_to_shared(base + state.index * CORPUS_TILE, in + first + t * CORPUS_TILE,
                                       CORPUS_TILE * sizeof(int), &full[state.index]);
      }
    }
  } else {
    pipeline_state state = {0, 0};
    for (uint32_t t = 0; t < TILES; t++, state.advance()) {
      block_until(&full[state.index], state.phase);
      for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += CONSUMER_WARPS * 32)
        out[first + t * CORPUS_TILE + i] = base[state.index * CORPUS_TILE + i] + 1;
      __syncwarp();
      if (elect_one()) arrive(&empty[state.index]);
    }
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE,
      [](int *out, const int *in) {
        kernel<<<2, (CONSUMER_WARPS + 1) * 32, STAGES * CORPUS_TILE * sizeof(int) + 128>>>(out, in);
      },
      corpus_plus_one);
}
