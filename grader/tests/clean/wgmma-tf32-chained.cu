// target: sm_90a
// Two products of tf32, one after the other, as attention has them: the sums of the first are the second
// one's A, in registers, once they have been moved to the threads that hold those elements. The first
// product of the next tile is under way meanwhile.
#include "wgmma.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 8, TILES = 4;

PRODUCT_OF_8(score, "m64n8k8.f32.tf32.tf32", ", 1, 1")
PRODUCT_OF_FRAGMENT(weigh, "m64n8k8.f32.tf32.tf32", ", 1, 1")

// A sum is in thread c / 2 of four, column c; an element of A in thread c % 4.
__device__ static void as_fragment(uint32_t (&p)[4], const uint32_t (&s)[4]) {
  const uint32_t member = threadIdx.x % 4, from = threadIdx.x % 32 - member;
  for (uint32_t i = 0; i < 4; i++) { // element i: row + i % 2 * 8, column member + i / 2 * 4
    const uint32_t source = from + member / 2 + i / 2 * 2;
    const uint32_t even = __shfl_sync(0xffffffff, s[i % 2 * 2], source);
    const uint32_t odd = __shfl_sync(0xffffffff, s[i % 2 * 2 + 1], source);
    p[i] = member % 2 ? odd : even;
  }
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) uint32_t q[ROWS * DEPTH], k[TILES][COLUMNS * DEPTH], v[TILES][COLUMNS * DEPTH];
  for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
    q[place(i / DEPTH, i % DEPTH * 4, 32) / 4] = as_tf32(value(i / DEPTH, i % DEPTH, 1));
  for (uint32_t i = threadIdx.x; i < TILES * COLUMNS * DEPTH; i += blockDim.x) {
    const uint32_t tile = i / (COLUMNS * DEPTH), line = i / DEPTH % COLUMNS;
    k[tile][place(line, i % DEPTH * 4, 32) / 4] = as_tf32(value(line, i % DEPTH, 2 + tile));
    v[tile][place(line, i % DEPTH * 4, 32) / 4] = as_tf32(value(line, i % DEPTH, 9 + tile));
  }
  async_proxy_fence();
  __syncthreads();
  const uint64_t of_q = descriptor(q, 128, 256, 0);
  uint32_t s[2][4], p[4], o[4] = {0, 0, 0, 0};
  products_fence();
  score(s[0], of_q, descriptor(k[0], 128, 256, 0), 0);
  products_commit();
#pragma unroll
  for (uint32_t tile = 0; tile < TILES; tile++) {
    products_wait<0>(); // this tile's scores are there, and the last product has read p
    as_fragment(p, s[tile % 2]);
    products_fence();
    if (tile + 1 < TILES) {
      score(s[(tile + 1) % 2], of_q, descriptor(k[tile + 1], 128, 256, 0), 0);
      products_commit();
    }
    weigh(o, p, descriptor(v[tile], 128, 256, 0), 1);
    products_commit();
  }
  products_wait<0>();
  write_floats(out, COLUMNS, o);
}

int main() {
  return products_check(
      ROWS, COLUMNS, [](int *out) { kernel<<<1, 128>>>(out); },
      [](uint32_t row, uint32_t column) {
        int sum = 0;
        for (uint32_t tile = 0; tile < TILES; tile++)
          for (uint32_t key = 0; key < COLUMNS; key++)
            sum += right_sum(row, key, DEPTH, 1, 2 + tile) * value(column, key, 9 + tile);
        return sum;
      });
}
