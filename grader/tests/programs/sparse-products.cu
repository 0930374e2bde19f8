// Products with a sparse matrix A: mma.sp in every shape and type of sm_90, and wgmma.mma_async.sp in every
// type, with A in registers and in shared memory. All values are small whole numbers, so every sum is exact
// and the host knows it. The fragments and the metadata are laid out here, after the PTX ISA's figures.
// target: sm_90a
#include <cstring>

#include "self-check.h"
#include "tma-interface.cuh"
#include <cuda_fp16.h>

enum element { F16, BF16, TF32, E4M3, E5M2, S8, U8, S4, U4 };
constexpr uint32_t MOST_K = 128, COLUMNS = 8, LANES = 32;

static uint32_t element_bits(element type) {
  return type <= BF16 ? 16 : type == TF32 ? 32 : type >= S4 ? 4 : 8;
}

// A float of `exponent` and `fraction` bits with the value of a small whole number.
static uint32_t float_of(int value, uint32_t exponent, uint32_t fraction) {
  const uint32_t bias = (1u << (exponent - 1)) - 1,
                 magnitude = static_cast<uint32_t>(value < 0 ? -value : value);
  if (!magnitude) return 0;
  const uint32_t power = magnitude >= 4 ? 2 : magnitude >= 2 ? 1 : 0;
  const uint32_t bits =
      (power + bias) << fraction | (magnitude << fraction >> power & ((1u << fraction) - 1));
  return value < 0 ? bits | 1u << (exponent + fraction) : bits;
}

static uint32_t encode(element type, int value) {
  switch (type) {
  case F16: return float_of(value, 5, 10);
  case BF16: return float_of(value, 8, 7);
  case TF32: return float_of(value, 8, 23);
  case E4M3: return float_of(value, 4, 3);
  case E5M2: return float_of(value, 5, 2);
  case S8:
  case U8: return static_cast<uint32_t>(value) & 255;
  default: return static_cast<uint32_t>(value) & 15;
  }
}

static bool is_signed(element type) {
  return type != U8 && type != U4;
}

// A product's matrices, as mathematics has them, and where A's elements that aren't zero stand.
struct matrices {
  uint32_t rows, depth;
  element a_type, b_type;
  int a[64][MOST_K], b[COLUMNS][MOST_K], stored[64][MOST_K / 2];
  uint32_t metadata[64][16]; // of each chunk of a row
};

static uint32_t next_random(uint32_t &state) {
  state = state * 1664525u + 1013904223u;
  return state >> 16;
}

static void fill(matrices &m, uint32_t seed) {
  uint32_t state = seed;
  const uint32_t size = m.a_type == TF32              ? 2
                        : element_bits(m.a_type) == 4 ? 8
                                                      : 4,
                 together = size == 8 ? 2 : 1;
  std::memset(m.a, 0, sizeof m.a);
  for (uint32_t line = 0; line < COLUMNS; line++)
    for (uint32_t k = 0; k < m.depth; k++)
      m.b[line][k] = static_cast<int>(next_random(state) % 5) - (is_signed(m.b_type) ? 2 : 0);
  for (uint32_t row = 0; row < m.rows; row++) {
    for (uint32_t chunk = 0, n = 0; chunk < m.depth / size; chunk++) {
      uint32_t first = next_random(state) % 3, second = first + 1 + next_random(state) % (3 - first);
      m.metadata[row][chunk] = size == 2 ? (first % 2 ? 0xe : 0x4) : first | second << 2;
      const uint32_t places[2] = {size == 2 ? first % 2 : first, second};
      for (uint32_t i = 0; i < (size == 2 ? 1 : 2); i++)
        for (uint32_t j = 0; j < together; j++) {
          const int value = static_cast<int>(next_random(state) % 5) - (is_signed(m.a_type) ? 2 : 0);
          m.a[row][chunk * size + places[i] * together + j] = m.stored[row][n++] = value;
        }
    }
  }
}

static int right_sum(const matrices &m, uint32_t row, uint32_t column) {
  int sum = 0;
  for (uint32_t k = 0; k < m.depth; k++)
    sum += m.a[row][k] * m.b[column][k];
  return sum;
}

// Register `part` of a lane's fragment: of 16 rows of A from `row` on, or of B's columns (as rows, one half).
static uint32_t fragment(const int *line, uint32_t step, uint32_t member, element type) {
  const uint32_t bits = element_bits(type), count = 32 / bits;
  uint32_t value = 0;
  for (uint32_t i = 0; i < count; i++)
    value |= encode(type, line[(step * 4 + member) * count + i]) << i * bits;
  return value;
}

// What lane `lane` provides for rows row + lane / 4 and 8 more, if the selector is `selector`.
static uint32_t metadata_of(const matrices &m, uint32_t row, uint32_t lane, uint32_t selector) {
  const uint32_t member = lane % 4, upper = row + lane / 4, bits = element_bits(m.a_type);
  const uint32_t chunks = m.depth / (m.a_type == TF32 ? 2 : bits == 4 ? 8 : 4);
  uint32_t value = 0;
  if (bits <= 8) { // a lane has eight chunks of one row
    if (chunks == 8 && member / 2 != selector) return 0xffffffffu;
    for (uint32_t i = 0; i < 8; i++)
      value |= m.metadata[upper + 8 * (member % 2)][(chunks == 16 ? member / 2 * 8 : 0) + i] << 4 * i;
    return value;
  }
  if ((chunks == 4 ? member : member / 2) != selector) return 0xffffffffu;
  for (uint32_t half = 0; half < 2; half++) // four chunks of both rows
    for (uint32_t i = 0; i < 4; i++)
      value |= m.metadata[upper + 8 * half][(chunks == 4 ? 0 : member % 2 * 4) + i] << (16 * half + 4 * i);
  return value;
}

// ---- mma.sp -----------------------------------------------------------------------------------------------

struct lane_registers {
  uint32_t a[4], b[4], metadata;
};

#define SHORT_A "{%4, %5}, {%8, %9}"
#define LONG_A  "{%4, %5, %6, %7}, {%8, %9, %10, %11}"
#define MMA_SP(name, words, factors, selector)                                                        \
  __global__ void name(const lane_registers *in, uint32_t *out) {                                     \
    const lane_registers &r = in[threadIdx.x];                                                        \
    uint32_t d[4] = {0, 0, 0, 0};                                                                     \
    asm volatile("mma." words " {%0, %1, %2, %3}, " factors ", {%0, %1, %2, %3}, %12, " #selector ";" \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                     \
                 : "r"(r.a[0]), "r"(r.a[1]), "r"(r.a[2]), "r"(r.a[3]), "r"(r.b[0]), "r"(r.b[1]),      \
                   "r"(r.b[2]), "r"(r.b[3]), "r"(r.metadata));                                        \
    for (uint32_t i = 0; i < 4; i++)                                                                  \
      out[threadIdx.x * 4 + i] = d[i];                                                                \
  }

#define ORDERED "sp::ordered_metadata.sync.aligned."
MMA_SP(f16_k16_0, ORDERED "m16n8k16.row.col.f32.f16.f16.f32", SHORT_A, 0)
MMA_SP(f16_k16_1, ORDERED "m16n8k16.row.col.f32.f16.f16.f32", SHORT_A, 1)
MMA_SP(f16_k16_2, "sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", SHORT_A, 2)
MMA_SP(f16_k16_3, ORDERED "m16n8k16.row.col.f32.f16.f16.f32", SHORT_A, 3)
MMA_SP(f16_k32_0, ORDERED "m16n8k32.row.col.f32.f16.f16.f32", LONG_A, 0)
MMA_SP(f16_k32_1, ORDERED "m16n8k32.row.col.f32.f16.f16.f32", LONG_A, 1)
MMA_SP(bf16_k16_1, ORDERED "m16n8k16.row.col.f32.bf16.bf16.f32", SHORT_A, 1)
MMA_SP(bf16_k32_1, ORDERED "m16n8k32.row.col.f32.bf16.bf16.f32", LONG_A, 1)
MMA_SP(tf32_k8_3, ORDERED "m16n8k8.row.col.f32.tf32.tf32.f32", SHORT_A, 3)
MMA_SP(tf32_k16_1, ORDERED "m16n8k16.row.col.f32.tf32.tf32.f32", LONG_A, 1)
MMA_SP(e4m3_e5m2, ORDERED "m16n8k64.row.col.f32.e4m3.e5m2.f32", LONG_A, 0)
MMA_SP(e5m2_e4m3, ORDERED "m16n8k64.row.col.f32.e5m2.e4m3.f32", LONG_A, 0)
MMA_SP(s8_u8_k32_0, ORDERED "m16n8k32.row.col.s32.s8.u8.s32", SHORT_A, 0)
MMA_SP(s8_u8_k32_1, ORDERED "m16n8k32.row.col.s32.s8.u8.s32", SHORT_A, 1)
MMA_SP(u8_s8_k64, ORDERED "m16n8k64.row.col.satfinite.s32.u8.s8.s32", LONG_A, 0)
MMA_SP(s4_u4_k64_1, ORDERED "m16n8k64.row.col.s32.s4.u4.s32", SHORT_A, 1)
MMA_SP(u4_s4_k128, ORDERED "m16n8k128.row.col.s32.u4.s4.s32", LONG_A, 0)

static int sum_of(uint32_t bits, bool is_float) {
  if (!is_float) return static_cast<int>(bits);
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<int>(value);
}

static void check_warp(const char *name, void (*kernel)(const lane_registers *, uint32_t *), element a_type,
                       element b_type, uint32_t depth, uint32_t selector) {
  static matrices m;
  m.rows = 16, m.depth = depth, m.a_type = a_type, m.b_type = b_type;
  fill(m, depth + a_type * 1000 + selector * 77);
  guarded<lane_registers> in(LANES);
  guarded<uint32_t> out(LANES * 4);
  std::vector<lane_registers> lanes(LANES);
  const uint32_t steps = depth / (4 * (32 / element_bits(a_type)));
  for (uint32_t lane = 0; lane < LANES; lane++) {
    lane_registers &r = lanes[lane];
    for (uint32_t step = 0; step < steps; step++)
      r.b[step] = fragment(m.b[lane / 4], step, lane % 4, b_type);
    for (uint32_t part = 0; part < steps; part++)
      r.a[part] = fragment(m.stored[lane / 4 + part % 2 * 8], part / 2, lane % 4, a_type);
    r.metadata = metadata_of(m, 0, lane, selector);
  }
  in.set(lanes);
  kernel<<<1, LANES>>>(in.data(), out.data());
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<uint32_t> got = out.get();
  for (uint32_t i = 0; i < LANES * 4; i++) {
    const uint32_t lane = i / 4, row = lane / 4 + i % 4 / 2 * 8, column = lane % 4 * 2 + i % 2;
    const int sum = sum_of(got[i], a_type <= E5M2), right = right_sum(m, row, column);
    if (!check_that(sum == right, "%s: [%u][%u] is %d, not %d", name, row, column, sum, right)) return;
  }
}

// Half sums: two registers.
__global__ void half_sums(const lane_registers *in, uint32_t *out) {
  const lane_registers &r = in[threadIdx.x];
  uint32_t d[2] = {0, 0};
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 {%0, %1}, "
               "{%2, %3, %4, %5}, {%6, %7, %8, %9}, {%0, %1}, %10, 0;"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(r.a[0]), "r"(r.a[1]), "r"(r.a[2]), "r"(r.a[3]), "r"(r.b[0]), "r"(r.b[1]), "r"(r.b[2]),
                 "r"(r.b[3]), "r"(r.metadata));
  for (uint32_t i = 0; i < 4; i++) { // as the kernels above write them
    const float value = __half2float(__ushort_as_half(static_cast<unsigned short>(d[i / 2] >> i % 2 * 16)));
    out[threadIdx.x * 4 + i] = __float_as_uint(value);
  }
}

// ---- wgmma.mma_async.sp -----------------------------------------------------------------------------------

constexpr uint32_t A_ROW = 32, B_ROW = 64; // bytes of a line

struct warpgroup_input {
  unsigned char a[64 * A_ROW], b[COLUMNS * B_ROW]; // in blocks of 8 lines by 16 bytes
  uint32_t registers[128][4], metadata[128];
};

static uint32_t place(uint32_t line, uint32_t byte, uint32_t row_bytes) {
  return line / 8 * 8 * row_bytes + byte / 16 * 128 + line % 8 * 16 + byte % 16;
}

#define WGMMA_SP(name, words, selector, with_a, without)                                                \
  __global__ void name(const warpgroup_input *in, uint32_t *out, bool registers) {                      \
    __shared__ alignas(128) unsigned char a[64 * A_ROW], b[COLUMNS * B_ROW];                            \
    for (uint32_t i = threadIdx.x; i < sizeof a; i += blockDim.x)                                       \
      a[i] = in->a[i];                                                                                  \
    for (uint32_t i = threadIdx.x; i < sizeof b; i += blockDim.x)                                       \
      b[i] = in->b[i];                                                                                  \
    async_proxy_fence();                                                                                \
    __syncthreads();                                                                                    \
    const uint32_t *r = in->registers[threadIdx.x], e = in->metadata[threadIdx.x];                      \
    const uint64_t of_a = tma_shared_address(a) >> 4 | uint64_t{8} << 16 | uint64_t{A_ROW / 2} << 32,   \
                   of_b = tma_shared_address(b) >> 4 | uint64_t{8} << 16 | uint64_t{B_ROW / 2} << 32;   \
    uint32_t d[4] = {0, 0, 0, 0};                                                                       \
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                             \
    if (registers)                                                                                      \
      asm volatile("wgmma.mma_async.sp.sync.aligned." words                                             \
                   " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, %9, " #selector ", 1" with_a ";"           \
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                     \
                   : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "l"(of_b), "r"(e));                    \
    else                                                                                                \
      asm volatile("wgmma.mma_async.sp.sync.aligned." words " {%0, %1, %2, %3}, %4, %5, %6, " #selector \
                   ", 1" without ";"                                                                    \
                   : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                     \
                   : "l"(of_a), "l"(of_b), "r"(e));                                                     \
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                      \
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                                      \
    for (uint32_t i = 0; i < 4; i++)                                                                    \
      out[threadIdx.x * 4 + i] = d[i];                                                                  \
  }

WGMMA_SP(w_f16_0, "m64n8k32.f32.f16.f16", 0, ", 1, 1, 0", ", 1, 1, 0, 0")
WGMMA_SP(w_f16_1, "m64n8k32.f32.f16.f16", 1, ", -1, 1, 0", ", -1, 1, 0, 0")
WGMMA_SP(w_bf16_1, "m64n8k32.f32.bf16.bf16", 1, ", 1, -1, 0", ", 1, -1, 0, 0")
WGMMA_SP(w_tf32_0, "m64n8k16.f32.tf32.tf32", 0, ", 1, 1", ", 1, 1")
WGMMA_SP(w_tf32_1, "m64n8k16.f32.tf32.tf32", 1, ", -1, -1", ", -1, -1")
WGMMA_SP(w_e4m3_e5m2, "m64n8k64.f32.e4m3.e5m2", 0, ", 1, 1", ", 1, 1")
WGMMA_SP(w_e5m2_e4m3, "m64n8k64.f32.e5m2.e4m3", 0, ", 1, -1", ", 1, -1")
WGMMA_SP(w_s8_u8, "m64n8k64.s32.s8.u8", 0, "", "")
WGMMA_SP(w_u8_s8, "m64n8k64.satfinite.s32.u8.s8", 0, "", "")

typedef void warpgroup_kernel(const warpgroup_input *, uint32_t *, bool);

// An element's bytes at element `k` of a line.
static void put(unsigned char *tile, uint32_t line, uint32_t k, uint32_t row_bytes, element type, int value) {
  const uint32_t bytes = element_bits(type) / 8, bits = encode(type, value);
  std::memcpy(tile + place(line, k * bytes, row_bytes), &bits, bytes);
}

static void check_warpgroup(const char *name, warpgroup_kernel *kernel, element a_type, element b_type,
                            uint32_t depth, uint32_t selector, int sign) {
  static matrices m;
  m.rows = 64, m.depth = depth, m.a_type = a_type, m.b_type = b_type;
  fill(m, depth + a_type * 1000 + selector * 77 + 5);
  guarded<warpgroup_input> in(1);
  guarded<uint32_t> out(128 * 4);
  std::vector<warpgroup_input> values(1);
  warpgroup_input &v = values[0];
  for (uint32_t row = 0; row < m.rows; row++)
    for (uint32_t k = 0; k < depth / 2; k++)
      put(v.a, row, k, A_ROW, a_type, m.stored[row][k]);
  for (uint32_t column = 0; column < COLUMNS; column++)
    for (uint32_t k = 0; k < depth; k++)
      put(v.b, column, k, B_ROW, b_type, m.b[column][k]);
  for (uint32_t thread = 0; thread < 128; thread++) {
    const uint32_t row = thread / 32 * 16, lane = thread % 32;
    for (uint32_t part = 0; part < 4; part++)
      v.registers[thread][part] =
          fragment(m.stored[row + lane / 4 + part % 2 * 8], part / 2, lane % 4, a_type);
    v.metadata[thread] = metadata_of(m, row, lane, selector);
  }
  in.set(values);
  for (int registers = 0; registers < 2; registers++) {
    kernel<<<1, 128>>>(in.data(), out.data(), registers == 1);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    const std::vector<uint32_t> got = out.get();
    for (uint32_t i = 0; i < 128 * 4; i++) {
      const uint32_t lane = i / 4 % 32, row = i / 128 * 16 + lane / 4 + i % 4 / 2 * 8,
                     column = lane % 4 * 2 + i % 2;
      const int sum = sum_of(got[i], a_type <= E5M2), right = sign * right_sum(m, row, column);
      if (!check_that(sum == right, "%s, A in %s: [%u][%u] is %d, not %d", name,
                      registers ? "registers" : "shared memory", row, column, sum, right))
        return;
    }
  }
}

int main() {
  check_warp("f16_k16_0", f16_k16_0, F16, F16, 16, 0);
  check_warp("f16_k16_1", f16_k16_1, F16, F16, 16, 1);
  check_warp("f16_k16_2", f16_k16_2, F16, F16, 16, 2);
  check_warp("f16_k16_3", f16_k16_3, F16, F16, 16, 3);
  check_warp("f16_k32_0", f16_k32_0, F16, F16, 32, 0);
  check_warp("f16_k32_1", f16_k32_1, F16, F16, 32, 1);
  check_warp("half_sums", half_sums, F16, F16, 32, 0);
  check_warp("bf16_k16_1", bf16_k16_1, BF16, BF16, 16, 1);
  check_warp("bf16_k32_1", bf16_k32_1, BF16, BF16, 32, 1);
  check_warp("tf32_k8_3", tf32_k8_3, TF32, TF32, 8, 3);
  check_warp("tf32_k16_1", tf32_k16_1, TF32, TF32, 16, 1);
  check_warp("e4m3_e5m2", e4m3_e5m2, E4M3, E5M2, 64, 0);
  check_warp("e5m2_e4m3", e5m2_e4m3, E5M2, E4M3, 64, 0);
  check_warp("s8_u8_k32_0", s8_u8_k32_0, S8, U8, 32, 0);
  check_warp("s8_u8_k32_1", s8_u8_k32_1, S8, U8, 32, 1);
  check_warp("u8_s8_k64", u8_s8_k64, U8, S8, 64, 0);
  check_warp("s4_u4_k64_1", s4_u4_k64_1, S4, U4, 64, 1);
  check_warp("u4_s4_k128", u4_s4_k128, U4, S4, 128, 0);
  check_warpgroup("w_f16_0", w_f16_0, F16, F16, 32, 0, 1);
  check_warpgroup("w_f16_1", w_f16_1, F16, F16, 32, 1, -1);
  check_warpgroup("w_bf16_1", w_bf16_1, BF16, BF16, 32, 1, -1);
  check_warpgroup("w_tf32_0", w_tf32_0, TF32, TF32, 16, 0, 1);
  check_warpgroup("w_tf32_1", w_tf32_1, TF32, TF32, 16, 1, 1);
  check_warpgroup("w_e4m3_e5m2", w_e4m3_e5m2, E4M3, E5M2, 64, 0, 1);
  check_warpgroup("w_e5m2_e4m3", w_e5m2_e4m3, E5M2, E4M3, 64, 0, -1);
  check_warpgroup("w_s8_u8", w_s8_u8, S8, U8, 64, 0, 1);
  check_warpgroup("w_u8_s8", w_u8_s8, U8, S8, 64, 0, 1);
  return self_check_result();
}
