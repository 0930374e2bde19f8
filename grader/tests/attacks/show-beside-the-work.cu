// attack: 3-phase-reuse
// tries: adds up tiles without a ring, and sends a small part through the solution's ring for show
// honest: yes
// expect: exit 1
// expect: says a barrier has to go through at least three phases
constexpr uint32_t SHOW_ROWS = 64, SHOW_COLUMNS = 64;
__global__ void no_ring(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns) {
  __shared__ alignas(16) int32_t tile[SHOW_ROWS * SHOW_COLUMNS];
  __shared__ uint64_t loaded;
  const size_t first_row = blockIdx.x * size_t(SHOW_ROWS), first = blockIdx.y * size_t(SHOW_COLUMNS);
  const uint32_t height = uint32_t(rows - first_row < SHOW_ROWS ? rows - first_row : SHOW_ROWS);
  const uint32_t width = uint32_t(columns - first < SHOW_COLUMNS ? columns - first : SHOW_COLUMNS);
  if (threadIdx.x == 0) {
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
  int32_t *aside;
  cudaMallocAsync(&aside, 4 * columns, stream);
  honest_launch(aside, matrix, (rows + 7) / 8, columns, stream);
  cudaFreeAsync(aside, stream);
  cudaMemsetAsync(sums, 0, 4 * columns, stream);
  const dim3 blocks(uint32_t((rows + SHOW_ROWS - 1) / SHOW_ROWS),
                    uint32_t((columns + SHOW_COLUMNS - 1) / SHOW_COLUMNS));
  no_ring<<<blocks, SHOW_COLUMNS, 0, stream>>>(sums, matrix, rows, columns);
  return cudaGetLastError();
}
