// Tiles are loaded with a swizzle of 128 bytes. Even blocks store them with the same one; odd blocks bring
// them into plain order and store them without.
#include "corpus.h"

constexpr uint32_t SIDE = 32;

__global__ void kernel(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap swizzled,
                       const __grid_constant__ CUtensorMap plain) {
  __shared__ alignas(1024) int tile[SIDE][SIDE];
  __shared__ uint64_t loaded;
  const uint32_t first_row = blockIdx.x * SIDE, column = threadIdx.x;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    expect_bytes_and_arrive(&loaded, sizeof tile);
    cp_async_bulk_tensor_2d_global_to_shared(tile, &from, 0, first_row, &loaded);
  }
  __syncthreads();
  wait(&loaded, 0);
  if (blockIdx.x % 2) {
    for (uint32_t row = 0; row < SIDE; row++) {
      const int value = tile[row][column ^ (row % 8) << 2];
      __syncwarp();
      tile[row][column] = value;
    }
    async_proxy_fence();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_tensor_2d_shared_to_global(blockIdx.x % 2 ? &plain : &swizzled, 0, first_row, tile);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return corpus_check(
      4 * SIDE * SIDE,
      [](int *out, const int *in) {
        const CUtensorMap from = corpus_map(in, SIDE, 4 * SIDE, SIDE, SIDE, CU_TENSOR_MAP_SWIZZLE_128B),
                          to = corpus_map(out, SIDE, 4 * SIDE, SIDE, SIDE, CU_TENSOR_MAP_SWIZZLE_128B),
                          plain = corpus_map(out, SIDE, 4 * SIDE, SIDE, SIDE);
        kernel<<<4, SIDE>>>(from, to, plain);
      },
      [](const std::vector<int> &in, size_t i) { return in[i]; });
}
