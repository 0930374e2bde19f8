// attack: 3-phase-reuse
// tries: adds up tiles without a ring, and has one block of the kernel run a ring of 16 bytes for show
// expect: exit 1
// expect: says a barrier has to go through at least three phases
// expect: says phases of one barrier: 1 seen (4 in blocks that move less than 85 % of the bytes)
#include "lab9.h"
#include "tma-interface.cuh"
constexpr uint32_t SHOW_ROWS = 64, SHOW_COLUMNS = 64, SHOW_TURNS = 8;
__device__ static void show(const int32_t *from) {
  __shared__ alignas(16) int32_t aside[2][4];
  __shared__ uint64_t full[2];
  init_barrier(&full[0], 1);
  init_barrier(&full[1], 1);
  async_proxy_fence();
  for (uint32_t turn = 0; turn < SHOW_TURNS + 2; turn++) {
    if (turn >= 2) wait(&full[turn % 2], (turn - 2) / 2 & 1);
    if (turn >= SHOW_TURNS) continue;
    expect_bytes_and_arrive(&full[turn % 2], 16);
    cp_async_bulk_global_to_shared(aside[turn % 2], from, 16, &full[turn % 2]);
  }
}
__global__ void no_ring(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns) {
  __shared__ alignas(16) int32_t tile[SHOW_ROWS * SHOW_COLUMNS];
  __shared__ uint64_t loaded;
  const size_t first_row = blockIdx.x * size_t(SHOW_ROWS), first = blockIdx.y * size_t(SHOW_COLUMNS);
  const uint32_t height = uint32_t(rows - first_row < SHOW_ROWS ? rows - first_row : SHOW_ROWS);
  const uint32_t width = uint32_t(columns - first < SHOW_COLUMNS ? columns - first : SHOW_COLUMNS);
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0 && blockIdx.y == 0) show(matrix);
    init_barrier(&loaded, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&loaded, 4 * width * height);
    for (uint32_t row = 0; row < height; row++)
      cp_async_bulk_global_to_shared(tile + row * width, matrix + (first_row + row) * columns + first,
                                     4 * width, &loaded);
  }
  __syncthreads();
  wait(&loaded, 0);
  if (threadIdx.x >= width) return;
  uint32_t sum = 0;
  for (uint32_t row = 0; row < height; row++)
    sum += uint32_t(tile[row * width + threadIdx.x]);
  atomicAdd(reinterpret_cast<uint32_t *>(sums) + first + threadIdx.x, sum);
}
extern "C" cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                          cudaStream_t stream) {
  cudaMemsetAsync(sums, 0, 4 * columns, stream);
  const dim3 blocks(uint32_t((rows + SHOW_ROWS - 1) / SHOW_ROWS),
                    uint32_t((columns + SHOW_COLUMNS - 1) / SHOW_COLUMNS));
  no_ring<<<blocks, SHOW_COLUMNS, 0, stream>>>(sums, matrix, rows, columns);
  return cudaGetLastError();
}
