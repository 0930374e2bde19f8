// In: nothing. Out: `ok` if libcu++'s two-dimensional tensor copies transpose a matrix of any shape, tile by
// tile, below a margin. The idea: one map loads, another of the result stores; tiles hang over the edges,
// where loads bring zeros and stores nothing.
// expect: seeds 5
#include "self-check.h"

#include <cuda.h>
#include <cuda/barrier>
#include <cudaTypedefs.h>

namespace tensor = cuda::device::experimental;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr unsigned WIDE = 16, HIGH = 8;

// A block per tile. out's row x is in's column x - margin, after `margin` zeros: loads begin at negative
// coordinates, stores can't. A tile's innermost coordinate must lie on 16 bytes, so `margin` is a multiple of
// 4.
__global__ void transpose(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out,
                          int margin) {
  __shared__ alignas(128) int tile[HIGH][WIDE];
  __shared__ alignas(128) int turned[WIDE][HIGH];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ block_barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    tensor::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  const int x = static_cast<int>(blockIdx.x * WIDE), y = static_cast<int>(blockIdx.y * HIGH);
  block_barrier::arrival_token token;
  if (threadIdx.x == 0) {
    tensor::cp_async_bulk_tensor_2d_global_to_shared(&tile, &in, x - margin, y - margin, barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof tile);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(cuda::std::move(token));
  for (unsigned i = threadIdx.x; i < WIDE * HIGH; i += blockDim.x)
    turned[i % WIDE][i / WIDE] = tile[i / WIDE][i % WIDE];
  tensor::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    tensor::cp_async_bulk_tensor_2d_shared_to_global(&out, y, x, &turned);
    tensor::cp_async_bulk_commit_group();
    tensor::cp_async_bulk_wait_group_read<0>();
  }
  __syncthreads();
  if (threadIdx.x == 0) (&barrier)->~block_barrier();
}

static PFN_cuTensorMapEncodeTiled_v12000 encoder() {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                              &found));
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
}

static CUtensorMap encode(int *matrix, uint64_t width, uint64_t height, uint64_t pitch, uint32_t box_wide,
                          uint32_t box_high) {
  CUtensorMap map = {};
  const cuuint64_t size[2] = {width, height}, stride[1] = {pitch * sizeof(int)};
  const cuuint32_t box[2] = {box_wide, box_high}, every[2] = {1, 1};
  CUDA_CHECK(encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, size, stride, box, every,
                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                       CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  return map;
}

static size_t rounded_to_4(size_t n) {
  return (n + 3) / 4 * 4;
}

static void check_transpose(unsigned width, unsigned height, unsigned margin) {
  const unsigned rows = width + margin, columns = height + margin; // of the result
  const size_t in_pitch = rounded_to_4(width) + 4, out_pitch = rounded_to_4(columns);
  std::vector<int> values(in_pitch * height, -1); // no padding may come through
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++)
      values[y * in_pitch + x] = static_cast<int>(1 + x + 100 * y);
  guarded<int> in(values.size()), out(out_pitch * rows);
  in.set(values);
  const CUtensorMap from = encode(in.data(), width, height, in_pitch, WIDE, HIGH);
  const CUtensorMap to = encode(out.data(), columns, rows, out_pitch, HIGH, WIDE);
  const dim3 grid((rows + WIDE - 1) / WIDE, (columns + HIGH - 1) / HIGH);
  transpose<<<grid, 64>>>(from, to, static_cast<int>(margin));
  const std::vector<int> got = out.get();
  for (unsigned x = 0; x < rows; x++)
    for (unsigned y = 0; y < columns; y++) {
      const bool outside = x < margin || y < margin;
      const int expected = outside ? 0 : values[(y - margin) * in_pitch + x - margin];
      check_that(got[x * out_pitch + y] == expected, "%u x %u, margin %u: row %u, column %u is %d, not %d",
                 width, height, margin, x, y, got[x * out_pitch + y], expected);
    }
  out.check_bands("out");
}

int main() {
  check_transpose(16, 8, 0);
  check_transpose(64, 32, 0);
  check_transpose(37, 21, 0);
  check_transpose(37, 21, 4);
  check_transpose(1, 1, 20); // whole tiles outside
  return self_check_result();
}
