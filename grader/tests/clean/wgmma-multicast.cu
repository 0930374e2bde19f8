// target: sm_90a
// A cluster of two blocks: the first one's thread multicasts B to both, and each multiplies rows of its own.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 32;

PRODUCT_OF_8(multiply, "m64n8k32.s32.s8.s8", "")

__global__ void __cluster_dims__(2) kernel(int *out, const signed char *b_blocks) {
  __shared__ alignas(128) signed char a[ROWS * DEPTH], b[COLUMNS * DEPTH];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&loaded, sizeof b);
  }
  cluster_arrive();
  cluster_wait();
  if (cluster_block_rank() == 0 && threadIdx.x == 0)
    cp_async_bulk_global_to_shared_multicast(b, b_blocks, sizeof b, &loaded, 3);
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    a[place(i / DEPTH, i % DEPTH, DEPTH)] =
        static_cast<signed char>(value(blockIdx.x * ROWS + i / DEPTH, i % DEPTH, 1));
  async_proxy_fence();
  __syncthreads();
  wait_cluster(&loaded, 0);
  uint32_t d[4] = {0, 0, 0, 0};
  products_fence();
  multiply(d, descriptor(a, 128, 256, 0), descriptor(b, 128, 256, 0), 0);
  products_commit();
  products_wait<0>();
  write_ints(out + blockIdx.x * ROWS * COLUMNS, COLUMNS, d);
  cluster_arrive();
  cluster_wait();
}

int main() {
  guarded<signed char> b(COLUMNS * DEPTH);
  std::vector<signed char> values(COLUMNS * DEPTH);
  for (uint32_t i = 0; i < COLUMNS * DEPTH; i++)
    values[place(i / DEPTH, i % DEPTH, DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 2));
  b.set(values);
  return products_check(
      2 * ROWS, COLUMNS, [&](int *out) { kernel<<<2, 128>>>(out, b.data()); },
      [](uint32_t row, uint32_t column) { return right_sum(row, column, DEPTH, 1, 2); });
}
