// target: sm_90a
// The sums of a product become the fragments of A of the next one, as in attention: (Q K) V.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, KEYS = 16, DEPTH = 16, COLUMNS = 8;

PRODUCT_OF_8(score, "m64n8k16.f32.bf16.bf16", ", 1, 1, 0, 0")
PRODUCT_OF_FRAGMENT(weigh, "m64n8k16.f32.bf16.bf16", ", 1, 1, 0")

// Keeps the scores small: whole numbers from -1 to 1.
__host__ __device__ static int sign_of(int v) {
  return v > 0 ? 1 : v < 0 ? -1 : 0;
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) uint16_t q[ROWS * DEPTH], keys[KEYS * DEPTH], v[COLUMNS * KEYS];
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    q[place(i / DEPTH, i % DEPTH * 2, 32) / 2] =
        static_cast<uint16_t>(as_bf16(value(i / DEPTH, i % DEPTH, 1)));
  for (uint32_t i = threadIdx.x; i < KEYS * DEPTH; i += blockDim.x)
    keys[place(i / DEPTH, i % DEPTH * 2, 32) / 2] =
        static_cast<uint16_t>(as_bf16(value(i / DEPTH, i % DEPTH, 2)));
  for (uint32_t i = threadIdx.x; i < COLUMNS * KEYS; i += blockDim.x)
    v[place(i / KEYS, i % KEYS * 2, 32) / 2] = static_cast<uint16_t>(as_bf16(value(i / KEYS, i % KEYS, 3)));
  async_proxy_fence();
  __syncthreads();
  uint32_t s[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}}, d[4] = {0, 0, 0, 0}, weights[4];
  products_fence();
  score(s[0], descriptor(q, 128, 256, 0), descriptor(keys, 128, 256, 0), 0);
  score(s[1], descriptor(q, 128, 256, 0), descriptor(keys + 8 * DEPTH, 128, 256, 0), 0);
  products_commit();
  products_wait<0>();
  for (uint32_t i = 0; i < 4; i++) { // keys 2 m, 2 m + 1 of row g or g + 8, and 8 keys further on
    const uint32_t(&from)[4] = s[i / 2];
    const int low = sign_of(static_cast<int>(__uint_as_float(from[i % 2 * 2])));
    const int high = sign_of(static_cast<int>(__uint_as_float(from[i % 2 * 2 + 1])));
    weights[i] = as_bf16(low) | as_bf16(high) << 16;
  }
  products_fence();
  weigh(d, weights, descriptor(v, 128, 256, 0), 0);
  products_commit(); // the weighted values
  products_wait<0>();
  write_floats(out, COLUMNS, d);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t key = 0; key < KEYS; key++)
          sum += sign_of(right_sum(row, key, DEPTH, 1, 2)) * value(column, key, 3);
        return sum;
      });
}
