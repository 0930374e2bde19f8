// Every layout of a matrix in shared memory that a descriptor of wgmma can say: lines along K, or along M and
// N; each swizzle; leading and stride offsets with gaps. The host lays the elements by the canonical layouts
// of the PTX ISA, 9.7.15.5.1.2.1.3, and knows the sums.
// target: sm_90a
#include "self-check.h"
#include "tma-interface.cuh"

constexpr uint32_t ROWS = 64, COLUMNS = 32, DEPTH = 16, A_BYTES = 24576, B_BYTES = 16384, SUMS = COLUMNS / 2;

struct layout {
  uint32_t swizzle; // bytes; 0: none
  bool across;      // the lines run along M or N
  uint32_t leading, stride;
};

struct matrices {
  unsigned char a[A_BYTES], b[B_BYTES];
};

static int value(uint32_t line, uint32_t k, uint32_t salt) {
  return static_cast<int>((line * 5 + k * 3 + line * k + salt) % 7) - 3;
}

static uint16_t half_of(int v) {
  static const uint16_t magnitudes[] = {0, 0x3c00, 0x4000, 0x4200};
  return static_cast<uint16_t>(magnitudes[v < 0 ? -v : v] | (v < 0 ? 0x8000 : 0));
}

// Where an element of row (or column) `line` lies.
static uint32_t place(const layout &l, uint32_t line, uint32_t k) {
  const uint32_t width = l.swizzle / 2; // elements of a pattern's line
  uint32_t at;
  if (!l.swizzle && !l.across)
    at = line / 8 * l.stride + k / 8 * l.leading + line % 8 * 16 + k % 8 * 2;
  else if (!l.swizzle)
    at = line / 8 * l.stride + k / 8 * l.leading + k % 8 * 16 + line % 8 * 2;
  else if (!l.across)
    at = line / 8 * l.stride + line % 8 * l.swizzle + k * 2;
  else
    at = line / width * l.leading + k / 8 * l.stride + k % 8 * l.swizzle + line % width * 2;
  return l.swizzle ? at ^ (at >> 7 & (l.swizzle / 16 - 1)) << 4 : at;
}

static uint64_t descriptor(const layout &l) { // without the address
  const uint64_t mode = l.swizzle == 128 ? 1 : l.swizzle == 64 ? 2 : l.swizzle == 32 ? 3 : 0;
  return uint64_t{l.leading >> 4} << 16 | uint64_t{l.stride >> 4} << 32 | mode << 62;
}

template <int a_across, int b_across>
__global__ void multiply(const matrices *in, float *out, uint64_t of_a, uint64_t of_b) {
  __shared__ alignas(1024) unsigned char a[A_BYTES], b[B_BYTES];
  for (uint32_t i = threadIdx.x; i < A_BYTES; i += blockDim.x)
    a[i] = in->a[i];
  for (uint32_t i = threadIdx.x; i < B_BYTES; i += blockDim.x)
    b[i] = in->b[i];
  float d[SUMS] = {};
  async_proxy_fence();
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, 0, 1, 1, %18, %19;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
        "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
      : "l"(of_a | tma_shared_address(a) >> 4), "l"(of_b | tma_shared_address(b) >> 4), "n"(a_across),
        "n"(b_across));
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  const uint32_t row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  for (uint32_t i = 0; i < SUMS; i++)
    out[(row + i % 4 / 2 * 8) * COLUMNS + i / 4 * 8 + column + i % 2] = d[i];
}

static void check(const layout &of_a, const layout &of_b) {
  guarded<matrices> in(1);
  guarded<float> out(ROWS * COLUMNS);
  std::vector<matrices> values(1);
  std::memset(values.data(), 0x7c, sizeof values[0]); // gaps: NaN
  for (uint32_t k = 0; k < DEPTH; k++) {
    for (uint32_t row = 0; row < ROWS; row++) {
      const uint16_t bits = half_of(value(row, k, 1));
      std::memcpy(values[0].a + place(of_a, row, k), &bits, sizeof bits);
    }
    for (uint32_t column = 0; column < COLUMNS; column++) {
      const uint16_t bits = half_of(value(column, k, 2));
      std::memcpy(values[0].b + place(of_b, column, k), &bits, sizeof bits);
    }
  }
  in.set(values);
  const uint64_t a = descriptor(of_a), b = descriptor(of_b);
  if (of_a.across && of_b.across)
    multiply<1, 1><<<1, 128>>>(in.data(), out.data(), a, b);
  else if (of_a.across)
    multiply<1, 0><<<1, 128>>>(in.data(), out.data(), a, b);
  else if (of_b.across)
    multiply<0, 1><<<1, 128>>>(in.data(), out.data(), a, b);
  else
    multiply<0, 0><<<1, 128>>>(in.data(), out.data(), a, b);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = out.get();
  for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
    int right = 0;
    for (uint32_t k = 0; k < DEPTH; k++)
      right += value(i / COLUMNS, k, 1) * value(i % COLUMNS, k, 2);
    if (!check_that(static_cast<int>(got[i]) == right && got[i] - got[i] == 0,
                    "A: swizzle %u, across %d; B: swizzle %u, across %d: [%u] is %g, not %d", of_a.swizzle,
                    of_a.across, of_b.swizzle, of_b.across, i, static_cast<double>(got[i]), right))
      break;
  }
}

int main() {
  // The gaps are multiples of a pattern's bytes. A swizzle without leading offsets: they aren't used.
  static const layout all[] = {{0, false, 144, 384},  {32, false, 0, 512},  {64, false, 0, 1024},
                               {128, false, 0, 2048}, {0, true, 1280, 144}, {32, true, 1024, 256},
                               {64, true, 1536, 512}, {128, true, 0, 2048}};
  for (const layout &of_a : all)
    for (const layout &of_b : all)
      check(of_a, of_b);
  return self_check_result();
}
