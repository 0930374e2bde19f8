// Bit for bit what a tensor core computes, against the model of tensor-core-model.h: 25 fraction bits of the
// largest term count (13 for 8-bit floats in wgmma). Random, subnormal, huge and special elements;
// dense and sparse. On a GPU the same program says whether the chip agrees.
// target: sm_90a
#include "tensor-core-model.h"
#include "tma-interface.cuh"

constexpr uint32_t ROWS = 64, COLUMNS = 8, MOST_DEPTH = 64, A_ROW = 32, MOST_B_ROW = 64;

// ---- the kernels ------------------------------------------------------------------------------------------

struct input {
  unsigned char a[ROWS * A_ROW], b[COLUMNS * MOST_B_ROW]; // in blocks of 8 lines by 16 bytes
  uint32_t c[128][4], metadata[128];
};

static uint32_t place(uint32_t line, uint32_t byte, uint32_t row_bytes) {
  return line / 8 * 8 * row_bytes + byte / 16 * 128 + line % 8 * 16 + byte % 16;
}

#define FULL_SUMS "{%0, %1, %2, %3}"
#define HALF_SUMS "{%0, %1}"
#define PRODUCT(name, b_row, words, sums, rest)                                                       \
  __global__ void name(const input *in, uint32_t *out) {                                              \
    __shared__ alignas(128) unsigned char a[ROWS * A_ROW], b[COLUMNS * MOST_B_ROW];                   \
    for (uint32_t i = threadIdx.x; i < sizeof a; i += blockDim.x)                                     \
      a[i] = in->a[i];                                                                                \
    for (uint32_t i = threadIdx.x; i < sizeof b; i += blockDim.x)                                     \
      b[i] = in->b[i];                                                                                \
    uint32_t d[4];                                                                                    \
    for (uint32_t i = 0; i < 4; i++)                                                                  \
      d[i] = in->c[threadIdx.x][i];                                                                   \
    async_proxy_fence();                                                                              \
    __syncthreads();                                                                                  \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                           \
    asm volatile("wgmma.mma_async" words " " sums ", %4, %5" rest ";"                                 \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                     \
                 : "l"(tma_shared_address(a) >> 4 | uint64_t{8} << 16 | uint64_t{A_ROW / 2} << 32),   \
                   "l"(tma_shared_address(b) >> 4 | uint64_t{8} << 16 | uint64_t{(b_row) / 2} << 32), \
                   "r"(in->metadata[threadIdx.x]));                                                   \
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                    \
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                                    \
    for (uint32_t i = 0; i < 4; i++)                                                                  \
      out[threadIdx.x * 4 + i] = d[i];                                                                \
  }

PRODUCT(f16_f32, 32, ".sync.aligned.m64n8k16.f32.f16.f16", FULL_SUMS, ", 1, 1, 1, 0, 0")
PRODUCT(f16_f16, 32, ".sync.aligned.m64n8k16.f16.f16.f16", HALF_SUMS, ", 1, 1, 1, 0, 0")
PRODUCT(bf16_f32, 32, ".sync.aligned.m64n8k16.f32.bf16.bf16", FULL_SUMS, ", 1, 1, 1, 0, 0")
PRODUCT(tf32_f32, 32, ".sync.aligned.m64n8k8.f32.tf32.tf32", FULL_SUMS, ", 1, 1, 1")
PRODUCT(e4m3_e5m2_f32, 32, ".sync.aligned.m64n8k32.f32.e4m3.e5m2", FULL_SUMS, ", 1, 1, 1")
PRODUCT(e5m2_e4m3_f16, 32, ".sync.aligned.m64n8k32.f16.e5m2.e4m3", HALF_SUMS, ", 1, 1, 1")
PRODUCT(sparse_f16_f32, 64, ".sp.sync.aligned.m64n8k32.f32.f16.f16", FULL_SUMS, ", %6, 0, 1, 1, 1, 0, 0")
PRODUCT(sparse_bf16_f32, 64, ".sp.sync.aligned.m64n8k32.f32.bf16.bf16", FULL_SUMS, ", %6, 0, 1, 1, 1, 0, 0")
PRODUCT(sparse_tf32_f32, 64, ".sp.sync.aligned.m64n8k16.f32.tf32.tf32", FULL_SUMS, ", %6, 0, 1, 1, 1")
PRODUCT(sparse_e4m3_f32, 64, ".sp.sync.aligned.m64n8k64.f32.e4m3.e4m3", FULL_SUMS, ", %6, 0, 1, 1, 1")

// ---- elements -------------------------------------------------------------------------------------------

struct matrices {
  uint32_t a[ROWS][MOST_DEPTH], b[COLUMNS][2 * MOST_DEPTH], c[ROWS][COLUMNS];
  uint32_t places[ROWS][MOST_DEPTH]; // of A's stored elements, along K
  uint32_t nibbles[ROWS][16];
};

static void draw_all(random_numbers &random, const form &f, bool sparse, kind k, matrices &m) {
  const uint32_t depth = sparse ? 2 * f.depth : f.depth, size = f.a == TF32 ? 2 : 4;
  for (auto &column : m.b)
    for (uint32_t i = 0; i < depth; i++)
      column[i] = draw(random, f.b, k);
  for (uint32_t row = 0; row < ROWS; row++) {
    for (uint32_t i = 0; i < f.depth; i++) {
      m.a[row][i] = draw(random, f.a, k);
      m.places[row][i] = i;
    }
    for (uint32_t column = 0; column < COLUMNS; column++)
      m.c[row][column] = draw(random, f.half_sums ? F16 : F32, k == HUGE ? WIDE : k);
    for (uint32_t chunk = 0; sparse && chunk < depth / size; chunk++) {
      const uint32_t first = random.next() % (size == 2 ? 2 : 3);
      const uint32_t second = first + 1 + random.next() % (3 - first);
      m.nibbles[row][chunk] = size == 2 ? (first ? 0xe : 0x4) : first | second << 2;
      m.places[row][size == 2 ? chunk : 2 * chunk] = chunk * size + first;
      if (size == 4) m.places[row][2 * chunk + 1] = chunk * size + second;
    }
  }
}

static uint32_t bytes_of(element type) {
  return type == TF32 ? 4 : type <= BF16 ? 2 : 1;
}

// The 16 or 32 bits of a lane's rows, after the PTX ISA's figures; selector 0.
static uint32_t metadata_of(const form &f, const matrices &m, uint32_t thread) {
  const uint32_t lane = thread % 32, member = lane % 4, row = thread / 32 * 16 + lane / 4;
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 8; i++) {
    if (bytes_of(f.a) == 1)
      bits |= m.nibbles[row + 8 * (member % 2)][member / 2 * 8 + i] << 4 * i;
    else
      bits |= m.nibbles[row + i / 4 * 8][member % 2 * 4 + i % 4] << 4 * i;
  }
  return bits;
}

static void pack(const form &f, bool sparse, const matrices &m, input &in) {
  const uint32_t size = bytes_of(f.a), b_row = sparse ? 64 : 32;
  for (uint32_t row = 0; row < ROWS; row++)
    for (uint32_t k = 0; k < f.depth; k++)
      std::memcpy(in.a + place(row, k * size, A_ROW), &m.a[row][k], size);
  for (uint32_t column = 0; column < COLUMNS; column++)
    for (uint32_t k = 0; k < (sparse ? 2 : 1) * f.depth; k++)
      std::memcpy(in.b + place(column, k * size, b_row), &m.b[column][k], size);
  for (uint32_t thread = 0; thread < 128; thread++) {
    const uint32_t row = thread / 32 * 16 + thread % 32 / 4, column = thread % 4 * 2;
    in.metadata[thread] = sparse ? metadata_of(f, m, thread) : 0;
    for (uint32_t i = 0; i < 4; i++)
      in.c[thread][i] = 0;
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t bits = m.c[row + i / 2 * 8][column + i % 2];
      if (f.half_sums)
        in.c[thread][i / 2] |= bits << 16 * (i % 2);
      else
        in.c[thread][i] = bits;
    }
  }
}

static void check(const char *name, void (*kernel)(const input *, uint32_t *), const form &f, bool sparse) {
  static const char *const kinds[] = {"ordinary", "wide", "subnormal", "huge", "special"};
  static matrices m;
  random_numbers random = {0x9e3779b97f4a7c15ull};
  guarded<input> in(1);
  guarded<uint32_t> out(128 * 4);
  for (int k = 0; k < KINDS; k++) {
    draw_all(random, f, sparse, static_cast<kind>(k), m);
    std::vector<input> values(1);
    pack(f, sparse, m, values[0]);
    in.set(values);
    kernel<<<1, 128>>>(in.data(), out.data());
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    const std::vector<uint32_t> got = out.get();
    for (uint32_t i = 0; i < 128 * 4; i++) {
      const uint32_t thread = i / 4, n = i % 4, row = thread / 32 * 16 + thread % 32 / 4 + n / 2 * 8;
      const uint32_t column = thread % 4 * 2 + n % 2;
      uint32_t b[MOST_DEPTH];
      for (uint32_t j = 0; j < f.depth; j++)
        b[j] = m.b[column][m.places[row][j]];
      const uint32_t right = model(f, m.a[row], b, m.c[row][column]);
      const uint32_t sum = f.half_sums ? got[thread * 4 + n / 2] >> 16 * (n % 2) & 0xffff : got[i];
      if (!check_that(sum == right, "%s, %s: [%u][%u] is 0x%x, not 0x%x", name, kinds[k], row, column, sum,
                      right))
        break;
    }
  }
}

int main() {
  check("f16_f32", f16_f32, {F16, F16, false, 16, 25, 23}, false);
  check("f16_f16", f16_f16, {F16, F16, true, 16, 25, 0}, false);
  check("bf16_f32", bf16_f32, {BF16, BF16, false, 16, 25, 23}, false);
  check("tf32_f32", tf32_f32, {TF32, TF32, false, 8, 25, 23}, false);
  check("e4m3_e5m2_f32", e4m3_e5m2_f32, {E4M3, E5M2, false, 32, 13, 13}, false);
  check("e5m2_e4m3_f16", e5m2_e4m3_f16, {E5M2, E4M3, true, 32, 13, 0}, false);
  check("sparse_f16_f32", sparse_f16_f32, {F16, F16, false, 16, 25, 23}, true);
  check("sparse_bf16_f32", sparse_bf16_f32, {BF16, BF16, false, 16, 25, 23}, true);
  check("sparse_tf32_f32", sparse_tf32_f32, {TF32, TF32, false, 8, 25, 23}, true);
  check("sparse_e4m3_f32", sparse_e4m3_f32, {E4M3, E4M3, false, 32, 13, 13}, true);
  return self_check_result();
}
