// Given for exercise 5, 5-matmul.cu: how the product is cut into tiles and which block computes which, what
// lies in shared memory, the sums' way into shared memory, the tensor maps, and the host's side of the
// launch. You need not change anything here. Read `storage`, `ring_place`, `put_panel` and
// `synchronise_group`, which you meet in the exercise.
//
//                        b (columns of c by k), a tile:       A tile of c has 128 rows and 256 columns. Its
//                        256 columns, STEP numbers of k       factors come in steps of 64 numbers of k: 128
//                        +---------------------------+        bytes, the width of a swizzled row.
//                        |                           |
//                        +---------------------------+        A block has three warpgroups of 128 threads.
//     a (rows of c by k)  c                                   The first loads. Each of the other two has 64
//     +------+           +---------------------------+        rows: 64 x 256 sums, 128 in each thread.
//     |      |           | 64 rows: warpgroup 1      |
//     |      |           +---------------------------+        The sums leave as bf16, in panels of 64
//     |      |           | 64 rows: warpgroup 2      |        columns. A panel's row has 128 bytes, too.
//     +------+           +---------------------------+
#ifndef TMA_LAB_MATMUL_CUH
#define TMA_LAB_MATMUL_CUH

#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t ROWS = 128, COLUMNS = 256, STEP = 64, STAGES = 4;
constexpr uint32_t GROUP = 128, MULTIPLIERS = 2, THREADS = GROUP * (1 + MULTIPLIERS); // threads
constexpr uint32_t GROUP_ROWS = ROWS / MULTIPLIERS; // 64, as many as wgmma multiplies
constexpr uint32_t PANEL = 64, PANELS = COLUMNS / PANEL, BUFFERS = 2;

// One step's factors. Both begin at multiples of 1024 bytes, as the swizzle asks.
struct stage {
  uint16_t a[ROWS * STEP], b[COLUMNS * STEP];
};

// A block's shared memory.
struct storage {
  stage stages[STAGES];
  uint16_t out[MULTIPLIERS][BUFFERS][GROUP_ROWS * PANEL]; // panels on their way out
  uint64_t full[STAGES], empty[STAGES];
};

// The product's size, and its tiles: `down` rows of tiles, `across` columns.
struct work {
  uint32_t k;
  uint32_t down, across;
};

// ---- the order of the tiles -------------------------------------------------------------------------------

// The row and the column of a tile's first number in c.
struct place {
  int32_t row, column;
};

// Tiles are numbered in bands of BAND rows of tiles, down each column of a band first. So those that are
// computed at one time make up a square of c, and share what they load from the L2 cache.
constexpr uint32_t BAND = 16;

__device__ static place place_of_tile(const work &w, uint32_t tile) {
  const uint32_t band = tile / (BAND * w.across), first = band * BAND, height = min(BAND, w.down - first);
  const uint32_t inside = tile - first * w.across;
  return {static_cast<int32_t>((first + inside % height) * ROWS),
          static_cast<int32_t>(inside / height * COLUMNS)};
}

// ---- the ring's turns -------------------------------------------------------------------------------------

// Where in the ring one is. It starts at stage 0 with parity 0 and goes on from tile to tile.
struct ring_place {
  uint32_t stage, parity;
  __device__ void advance() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// ---- the sums' way out ------------------------------------------------------------------------------------

// All threads of this warpgroup, and no others.
__device__ static void synchronise_group() {
  asm volatile("bar.sync %0, %1;" : : "r"(1 + threadIdx.x / GROUP), "n"(GROUP) : "memory");
}

__device__ static uint32_t two_bf16(float low, float high) {
  uint32_t both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

// Writes panel number `panel` of a warpgroup's sums into shared memory, as bf16, swizzled by 128 bytes. All
// threads of the warpgroup. Four 8 x 8 matrices at a time, whose layout in the registers is just that of the
// sums (stmatrix). Lane l gives the place of a row of 16 bytes.
__device__ static __forceinline__ void put_panel(uint16_t *panel_out, const float (&sums)[128],
                                                 uint32_t panel) {
  const uint32_t lane = threadIdx.x % 32, row = threadIdx.x % GROUP / 32 * 16 + lane % 16;
#pragma unroll
  for (uint32_t i = 0; i < 4; i++) {
    const float *s = &sums[panel * 32 + i * 8];
    const uint32_t atom = (2 * i + lane / 16) ^ row % 8; // of the row, where the swizzle puts it
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(tma_shared_address(panel_out + row * PANEL + atom * 8)), "r"(two_bf16(s[0], s[1])),
                   "r"(two_bf16(s[2], s[3])), "r"(two_bf16(s[4], s[5])), "r"(two_bf16(s[6], s[7]))
                 : "memory");
  }
}

// ---- the host's side --------------------------------------------------------------------------------------

// Encodes a map of a matrix of bf16 with `rows` rows of `columns` numbers, whose boxes have 64 columns (128
// bytes) and box_rows rows. It says on stderr which argument is wrong.
static cudaError_t encode_matrix(CUtensorMap *map, const uint16_t *matrix, size_t rows, size_t columns,
                                 uint32_t box_rows, CUtensorMapSwizzle swizzle) {
  tensor_map_options options = TENSOR_MAP_NO_OPTIONS;
  options.data_type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  options.rank = 2;
  options.global_address = matrix;
  options.global_dim[0] = columns;
  options.global_dim[1] = rows;
  options.global_strides[0] = columns * sizeof(uint16_t);
  options.box_dim[0] = STEP;
  options.box_dim[1] = box_rows;
  options.swizzle = swizzle;
  options.l2_promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
  return tensor_map_encode(map, &options);
}

using matmul_kernel = void (*)(CUtensorMap a_map, CUtensorMap b_map, CUtensorMap c_map, work w);

// How many blocks work, one on a processor: no more than are needed for the least number of turns. 2048 tiles
// take 132 processors 16 turns, and 128 processors as well: four that would only take power stay idle.
static cudaError_t block_count(uint32_t tiles, uint32_t *blocks) {
  int device = 0, processors = 1;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error != cudaSuccess) return error;
  const uint32_t turns = (tiles + processors - 1) / processors;
  *blocks = (tiles + turns - 1) / turns;
  return cudaSuccess;
}

// Starts the kernel for a product of m by n numbers. Returns the first CUDA error.
static cudaError_t launch_tiles(matmul_kernel kernel, const CUtensorMap &a_map, const CUtensorMap &b_map,
                                const CUtensorMap &c_map, size_t m, size_t n, size_t k, cudaStream_t stream) {
  const size_t down = (m + ROWS - 1) / ROWS, across = (n + COLUMNS - 1) / COLUMNS;
  // Coordinates are int32.
  if (down > INT32_MAX / ROWS || across > INT32_MAX / COLUMNS || k > INT32_MAX || down * across > INT32_MAX)
    return cudaErrorInvalidValue;
  uint32_t blocks = 0;
  cudaError_t error = block_count(static_cast<uint32_t>(down * across), &blocks);
  if (error == cudaSuccess)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(storage));
  if (error != cudaSuccess) return error;
  kernel<<<blocks, THREADS, sizeof(storage), stream>>>(
      a_map, b_map, c_map,
      {static_cast<uint32_t>(k), static_cast<uint32_t>(down), static_cast<uint32_t>(across)});
  return cudaGetLastError();
}

#endif
