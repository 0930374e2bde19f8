// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/launch_phase_reuse/run_ring/
// expect: exit 1
// expect: says stages have to be loaded again while others are in flight
// expect: says in blocks that move less than 85 % of the bytes
// One kernel has the ring, and adds up for nobody. Another one, without a ring, makes the results.
constexpr uint32_t TALL = 64, WIDE = 64, SHARES = 132;
__global__ void one_stage(uint32_t *sums, const int32_t *matrix, size_t rows, size_t columns) {
  __shared__ alignas(16) uint32_t tile[TALL][WIDE];
  __shared__ uint64_t loaded;
  const size_t first = blockIdx.y * static_cast<size_t>(WIDE);
  const uint32_t width = static_cast<uint32_t>(min(static_cast<size_t>(WIDE), columns - first));
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();
  }
  __syncthreads();
  uint32_t sum = 0, parity = 0;
  for (size_t row = blockIdx.x * TALL; row < rows; row += SHARES * TALL, parity ^= 1) {
    const uint32_t height = static_cast<uint32_t>(min(static_cast<size_t>(TALL), rows - row));
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&loaded, 4 * width * height);
      for (uint32_t y = 0; y < height; y++)
        cp_async_bulk_global_to_shared(tile[y], matrix + (row + y) * columns + first, 4 * width, &loaded);
    }
    wait(&loaded, parity);
    for (uint32_t y = 0; y < height && threadIdx.x < width; y++)
      sum += tile[y][threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.x < width) atomicAdd(sums + first + threadIdx.x, sum);
}
extern "C" cudaError_t launch_phase_reuse(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                          cudaStream_t stream) {
  int32_t *own = nullptr;
  cudaError_t error = cudaMallocAsync(&own, columns * sizeof *own, stream);
  if (error == cudaSuccess) error = run_ring(own, matrix, rows, columns, stream);
  if (error == cudaSuccess) error = cudaFreeAsync(own, stream);
  if (error == cudaSuccess) error = cudaMemsetAsync(sums, 0, columns * sizeof *sums, stream);
  if (error != cudaSuccess) return error;
  const dim3 blocks(SHARES, static_cast<uint32_t>((columns + WIDE - 1) / WIDE));
  one_stage<<<blocks, WIDE, 0, stream>>>(reinterpret_cast<uint32_t *>(sums), matrix, rows, columns);
  return cudaGetLastError();
}
