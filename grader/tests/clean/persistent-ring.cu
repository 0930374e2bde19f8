// A persistent kernel: each block works on several tiles, each of six parts, through a ring of four stages.
// Stage and phase go on from tile to tile, for the loading thread and for the warps that add.
#include "corpus.h"

constexpr uint32_t STAGES = 4, PARTS = 6, WARPS = 4, WIDTH = WARPS * 32, TILES = 6;

struct ring_state {
  uint32_t stage, phase;
  __device__ void next() {
    if (++stage < STAGES) return;
    stage = 0;
    phase ^= 1;
  }
};

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int stages[STAGES][WIDTH];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], WARPS);
    }
    async_proxy_fence();
  }
  __syncthreads();
  if (threadIdx.x == WIDTH) {
    ring_state state = {0, 1};
    for (uint32_t t = blockIdx.x; t < TILES; t += gridDim.x) {
      // a tile
      for (uint32_t p = 0; p < PARTS; p++, state.next()) {
        wait(&empty[state.stage], state.phase);
        expect_bytes_and_arrive(&full[state.stage], sizeof stages[0]);
        cp_async_bulk_global_to_shared(stages[state.stage], in + (t * PARTS + p) * WIDTH, sizeof stages[0],
                                       &full[state.stage]);
      }
    }
  } else if (threadIdx.x < WIDTH) {
    ring_state state = {0, 0};
    for (uint32_t t = blockIdx.x; t < TILES; t += gridDim.x) {
      int sum = 0;
      for (uint32_t p = 0; p < PARTS; p++, state.next()) {
        wait(&full[state.stage], state.phase);
        sum += stages[state.stage][threadIdx.x];
        __syncwarp();
        if (threadIdx.x % 32 == 0) arrive(&empty[state.stage]);
      }
      out[t * PARTS * WIDTH + threadIdx.x] = sum;
    }
  }
}

int main() {
  return corpus_check(
      TILES * PARTS * WIDTH, [](int *out, const int *in) { kernel<<<2, WIDTH + 32>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        if (i % (PARTS * WIDTH) >= WIDTH) return 0;
        for (uint32_t p = 0; p < PARTS; p++)
          sum += in[i + p * WIDTH];
        return sum;
      });
}
