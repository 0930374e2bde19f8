// target: sm_90a
// One warpgroup writes A with ordinary stores, another multiplies. Barriers hand two buffers over and back.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 32, TURNS = 4, BUFFERS = 2;

PRODUCT_OF_8(multiply, "m64n8k32.s32.s8.s8", "")

__device__ static void write_turns(signed char (*a)[ROWS * DEPTH], uint64_t *full, uint64_t *empty) {
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    const uint32_t buffer = turn % BUFFERS;
    wait(&empty[buffer], (turn / BUFFERS & 1) ^ 1);
    for (uint32_t i = threadIdx.x % 128; i < ROWS * DEPTH; i += 128)
      a[buffer][place(i / DEPTH, i % DEPTH, DEPTH)] =
          static_cast<signed char>(value(i / DEPTH, i % DEPTH, turn));
    async_proxy_fence();
    arrive(&full[buffer]);
  }
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) signed char a[BUFFERS][ROWS * DEPTH], b[COLUMNS * DEPTH];
  __shared__ uint64_t full[BUFFERS], empty[BUFFERS];
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < BUFFERS; i++) {
      init_barrier(&full[i], 128);
      init_barrier(&empty[i], 128);
    }
  }
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[place(i / DEPTH, i % DEPTH, DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 9));
  async_proxy_fence(); // B
  __syncthreads();
  if (threadIdx.x >= 128) {
    write_turns(a, full, empty);
    return;
  }
  uint32_t d[4] = {0, 0, 0, 0};
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    const uint32_t buffer = turn % BUFFERS;
    wait(&full[buffer], turn / BUFFERS & 1);
    products_fence();
    multiply(d, descriptor(a[buffer], 128, 256, 0), descriptor(b, 128, 256, 0), turn != 0);
    products_commit();
    products_wait<0>();
    arrive(&empty[buffer]);
  }
  write_ints(out, COLUMNS, d);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 256>>>(out); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t turn = 0; turn < TURNS; turn++)
          sum += right_sum(row, column, DEPTH, turn, 9);
        return sum;
      });
}
