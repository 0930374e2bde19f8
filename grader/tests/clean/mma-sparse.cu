// A warp's product with a sparse A, from registers: of two neighbouring tf32 elements one is stored. The
// third thread of four provides the metadata.
#include "corpus.h"

constexpr uint32_t ROWS = 16, COLUMNS = 8, DEPTH = 8;

__host__ __device__ static int value(uint32_t line, uint32_t k, uint32_t salt) {
  return static_cast<int>((line * 5 + k * 3 + line * k + salt) % 7) - 3;
}
__host__ __device__ static uint32_t kept(uint32_t row, uint32_t pair) { // which one of the two
  return (row + pair) % 2;
}

__device__ static void multiply(float (&d)[4], const uint32_t (&a)[2], const uint32_t (&b)[2],
                                uint32_t metadata) {
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
               "{%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, 2;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(metadata));
}

__device__ static uint32_t tf32_of(int v) {
  return __float_as_uint(static_cast<float>(v));
}

__global__ void kernel(int *out, const int *in) {
  const uint32_t group = threadIdx.x / 4, member = threadIdx.x % 4;
  uint32_t a[2], b[2], metadata = 0;
  for (uint32_t i = 0; i < 2; i++) {
    const uint32_t row = group + 8 * i;
    a[i] = tf32_of(value(row, 2 * member + kept(row, member), 1));
    b[i] = tf32_of(value(group, member + 4 * i, 2));
    for (uint32_t pair = 0; pair < 4; pair++)
      metadata |= (kept(row, pair) ? 0xeu : 0x4u) << (16 * i + 4 * pair);
  }
  float d[4];
  for (uint32_t i = 0; i < 4; i++)
    d[i] = static_cast<float>(in[threadIdx.x * 4 + i]);
  multiply(d, a, b, metadata);
  for (uint32_t i = 0; i < 4; i++)
    out[(group + i / 2 * 8) * COLUMNS + member * 2 + i % 2] = static_cast<int>(d[i]);
}

int main() {
  return corpus_check(
      ROWS * COLUMNS, [](int *out, const int *in) { kernel<<<1, 32>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const uint32_t row = static_cast<uint32_t>(i) / COLUMNS, column = static_cast<uint32_t>(i) % COLUMNS;
        int sum = in[(row % 8 * 4 + column / 2) * 4 + row / 8 * 2 + column % 2];
        for (uint32_t pair = 0; pair < DEPTH / 2; pair++)
          sum += value(row, 2 * pair + kept(row, pair), 1) * value(column, 2 * pair + kept(row, pair), 2);
        return sum;
      });
}
