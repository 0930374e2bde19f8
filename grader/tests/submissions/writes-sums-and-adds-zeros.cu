// submission: lab10/1-reduce
// expect: exit 1
// expect: says the sums have to be written by reductions alone
// expect: says bytes other than zeros written there by anything but reductions:
// Sums are written by threads; then the copy engine adds zeros to them.
#include "lab10.h"
#include "tma-interface.cuh"
#include "tma-reduce.cuh"
constexpr uint32_t WIDTH = 128, HEIGHT = 32;
__global__ void __launch_bounds__(WIDTH)
    sums_of_strip(uint32_t *sums, const uint32_t *matrix, size_t rows, size_t columns) {
  __shared__ alignas(16) uint32_t tile[HEIGHT][WIDTH];
  __shared__ alignas(16) uint32_t part[WIDTH];
  __shared__ uint64_t loaded;
  const size_t first_column = static_cast<size_t>(blockIdx.x) * WIDTH;
  const uint32_t width = static_cast<uint32_t>(min(static_cast<size_t>(WIDTH), columns - first_column));
  if (threadIdx.x == 0) init_barrier(&loaded, 1);
  __syncthreads();
  uint32_t sum = 0, parity = 0;
  for (size_t first = 0; first < rows; first += HEIGHT, parity ^= 1) {
    const uint32_t height = static_cast<uint32_t>(min(static_cast<size_t>(HEIGHT), rows - first));
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&loaded, height * width * sizeof(uint32_t));
      for (uint32_t row = 0; row < height; row++)
        cp_async_bulk_global_to_shared(tile[row], matrix + (first + row) * columns + first_column,
                                       width * sizeof(uint32_t), &loaded);
    }
    wait(&loaded, parity);
    for (uint32_t row = 0; row < height && threadIdx.x < width; row++)
      sum += tile[row][threadIdx.x];
    __syncthreads();
  }
#ifdef BULK
  part[threadIdx.x] = sum;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(sums + first_column, part, width * sizeof(uint32_t));
    tma_commit_group();
    tma_wait_until_pending<0>();
  }
#else
  if (threadIdx.x < width) sums[first_column + threadIdx.x] = sum;
#endif
}
__global__ void add_zeros(uint32_t *sums, size_t columns) {
  __shared__ alignas(16) uint32_t part[WIDTH];
  const size_t first_column = static_cast<size_t>(blockIdx.x) * WIDTH;
  const uint32_t width = static_cast<uint32_t>(min(static_cast<size_t>(WIDTH), columns - first_column));
  part[threadIdx.x] = 0;
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_reduce_async_bulk_shared_to_global_add(sums + first_column, part, width * sizeof(uint32_t));
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}
extern "C" cudaError_t launch_reduce(int32_t *sums, const int32_t *matrix, size_t rows, size_t columns,
                                     cudaStream_t stream) {
  const uint32_t strips = static_cast<uint32_t>((columns + WIDTH - 1) / WIDTH);
  sums_of_strip<<<strips, WIDTH, 0, stream>>>(reinterpret_cast<uint32_t *>(sums),
                                              reinterpret_cast<const uint32_t *>(matrix), rows, columns);
  add_zeros<<<strips, WIDTH, 0, stream>>>(reinterpret_cast<uint32_t *>(sums), columns);
  return cudaGetLastError();
}
