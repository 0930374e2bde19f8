// target: sm_90a
// The sums leave through the memory that A had, column by column: written there after the wait, when nobody
// reads A any more, and stored by one bulk copy.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 32;

PRODUCT_OF_8(multiply, "m64n8k32.s32.s8.s8", "")

union epilogue_memory {
  signed char a[ROWS * DEPTH];
  int sums[ROWS * COLUMNS];
};

__global__ void kernel(int *out) {
  __shared__ alignas(128) epilogue_memory memory;
  __shared__ alignas(128) signed char b[COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    memory.a[place(i / DEPTH, i % DEPTH, DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 1));
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[place(i / DEPTH, i % DEPTH, DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 2));
  async_proxy_fence();
  __syncthreads();
  uint32_t d[4] = {0, 0, 0, 0};
  products_fence();
  multiply(d, descriptor(memory.a, 128, 256, 0), descriptor(b, 128, 256, 0), 0);
  products_commit();
  products_wait<0>();
  __syncthreads(); // all warps have read their rows
  for (uint32_t i = 0; i < 4; i++)
    memory.sums[column_of(i) * ROWS + row_of(i)] = static_cast<int>(d[i]);
  async_proxy_fence(); // the sums
  __syncthreads();
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(out, memory.sums, sizeof memory.sums);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

int main() {
  return products_check(
      COLUMNS, ROWS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t column, uint32_t row) { return right_sum(row, column, DEPTH, 1, 2); });
}
