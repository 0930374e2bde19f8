// A ring of swizzled tiles whose consumers read fragments with ldmatrix and multiply them. A lane of each
// warp releases the stage as soon as ldmatrix, which all lanes execute together, has read the rows.
#include "corpus.h"

constexpr uint32_t STAGES = 3, TILES = 5, ROWS = 16, WIDTH = 32; // a tile: 16 rows of 128 bytes

__device__ static void multiply(uint32_t c[4],
                                const uint32_t a[4]) { // by a matrix of ones, in whole numbers of 8 bits
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %8}, {%0, %1, %2, %3};"
               : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(0x01010101));
}

__global__ void kernel(int *out, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(1024) int tile[STAGES][ROWS][WIDTH];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (uint32_t s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], 2);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (warp == 2) {
    for (uint32_t t = 0; t < TILES && lane == 0; t++) {
      wait(&empty[t % STAGES], (t / STAGES & 1) ^ 1);
      expect_bytes_and_arrive(&full[t % STAGES], sizeof tile[0]);
      cp_async_bulk_tensor_2d_global_to_shared(tile[t % STAGES], &map, 0, static_cast<int32_t>(t * ROWS),
                                               &full[t % STAGES]);
    }
    return;
  }
  uint32_t sum[4] = {};
  for (uint32_t t = 0; t < TILES; t++) { // each warp takes two of the four stretches of 32 bytes
    uint32_t a[2][4];
    wait(&full[t % STAGES], t / STAGES & 1);
    for (uint32_t half = 0; half < 2; half++) {
      const uint32_t row = lane % 16, chunk = (warp * 2 + half) * 2 + lane / 16; // of 16 bytes
      const uint32_t at = tma_shared_address(tile[t % STAGES]) + row * 128 + ((chunk ^ row % 8) * 16);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a[half][0]), "=r"(a[half][1]), "=r"(a[half][2]), "=r"(a[half][3])
                   : "r"(at)
                   : "memory");
    }
    if (lane == 0) arrive(&empty[t % STAGES]);
    multiply(sum, a[0]);
    multiply(sum, a[1]);
  }
  if (lane % 4 != 0) return; // all columns are alike
  atomicAdd(&out[lane / 4], static_cast<int>(sum[0]));
  atomicAdd(&out[lane / 4 + 8], static_cast<int>(sum[2]));
}

int main() {
  return corpus_check(
      TILES * ROWS * WIDTH,
      [](int *out, const int *in) {
        kernel<<<1, 96>>>(out, corpus_map(in, WIDTH, TILES * ROWS, WIDTH, ROWS, CU_TENSOR_MAP_SWIZZLE_128B));
      },
      [](const std::vector<int> &in, size_t i) {
        uint32_t sum = 0;
        for (size_t t = 0; t < TILES && i < ROWS; t++) {
          for (size_t k = 0; k < WIDTH; k++) {
            const uint32_t word = static_cast<uint32_t>(in[(t * ROWS + i) * WIDTH + k]);
            sum += (word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >> 24);
          }
        }
        return static_cast<int>(sum);
      });
}
