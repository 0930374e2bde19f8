// attack: 3-phase-reuse
// tries: no ring: one stage with four barriers, three of which are pending at each wait
// expect: exit 1
// expect: says stages have to be loaded again while others are in flight
// expect: says bytes loaded into a stage again while other loads were under way: 0 seen
#include "lab9.h"
#include "tma-interface.cuh"
constexpr uint32_t ROWS = 64, COLUMNS = 64, SHARES = 132;
__global__ void one_stage(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns) {
  __shared__ alignas(16) int32_t tile[ROWS * COLUMNS];
  __shared__ uint64_t loaded[4];
  const size_t first = blockIdx.y * size_t(COLUMNS), share = (rows + SHARES - 1) / SHARES;
  const uint32_t width = uint32_t(columns - first < COLUMNS ? columns - first : COLUMNS);
  const size_t begin = blockIdx.x * share < rows ? blockIdx.x * share : rows;
  const size_t end = begin + share < rows ? begin + share : rows;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 4; i++)
      init_barrier(&loaded[i], 1);
    async_proxy_fence();
  }
  __syncthreads();
  uint32_t sum = 0, phase = 0;
  for (size_t row = begin; row < end; row += ROWS, phase ^= 1) {
    const uint32_t height = uint32_t(end - row < ROWS ? end - row : ROWS);
    if (threadIdx.x == 0) {
      for (uint32_t i = 4; i-- > 0;) {
        expect_bytes_and_arrive(&loaded[i], 4 * width * ((height + 3 - i) / 4));
        for (uint32_t r = i; r < height; r += 4)
          cp_async_bulk_global_to_shared(tile + r * width, matrix + (row + r) * columns + first, 4 * width,
                                         &loaded[i]);
      }
    }
    for (int i = 0; i < 4; i++)
      wait(&loaded[i], phase);
    for (uint32_t r = 0; r < height && threadIdx.x < width; r++)
      sum += uint32_t(tile[r * width + threadIdx.x]);
    __syncthreads();
  }
  if (threadIdx.x < width) atomicAdd(reinterpret_cast<uint32_t *>(sums) + first + threadIdx.x, sum);
}
extern "C" cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                          cudaStream_t stream) {
  cudaMemsetAsync(sums, 0, 4 * columns, stream);
  const dim3 blocks(SHARES, uint32_t((columns + COLUMNS - 1) / COLUMNS));
  one_stage<<<blocks, COLUMNS, 0, stream>>>(sums, matrix, rows, columns);
  return cudaGetLastError();
}
