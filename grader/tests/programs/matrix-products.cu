// mma.sync: which element of which matrix every lane's registers hold, the formulas of the PTX ISA
// (9.7.14.5.2 to .13) shape by shape, and products of whole numbers, which no order of summing changes. NOT
// YET RUN ON A GPU: what is right is taken from the ISA's text alone; `make test-gpu` runs this program
// natively and will tell. Sums that round and subnormal factors, which the ISA leaves open, are not looked at
// here.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "self-check.h"

enum { LANES = 32, COLUMNS = 8, MOST_DEPTH = 256, MOST_REGISTERS = 8 };

// ---- the kernels: a form each. a, b, c: a word for each register of each lane; c's registers are d's, too -

#define FORM(name, TA, TC, ...)                                                       \
  static __global__ void name(const uint64_t *ra, const uint64_t *rb, uint64_t *rc) { \
    TA a[MOST_REGISTERS], b[MOST_REGISTERS];                                          \
    TC c[MOST_REGISTERS];                                                             \
    for (int i = 0; i < MOST_REGISTERS; i++) {                                        \
      memcpy(&a[i], &ra[threadIdx.x * MOST_REGISTERS + i], sizeof a[i]);              \
      memcpy(&b[i], &rb[threadIdx.x * MOST_REGISTERS + i], sizeof b[i]);              \
      memcpy(&c[i], &rc[threadIdx.x * MOST_REGISTERS + i], sizeof c[i]);              \
    }                                                                                 \
    asm volatile("mma.sync.aligned." __VA_ARGS__);                                    \
    for (int i = 0; i < MOST_REGISTERS; i++)                                          \
      memcpy(&rc[threadIdx.x * MOST_REGISTERS + i], &c[i], sizeof c[i]);              \
  }
#define SUMS2   "{%0, %1}"
#define SUMS4   "{%0, %1, %2, %3}"
#define OUT2(k) "+" k(c[0]), "+" k(c[1])
#define OUT4(k) OUT2(k), "+" k(c[2]), "+" k(c[3])
#define FORM_112(name, form, TA, ka, TC, kc) \
  FORM(name, TA, TC, form " " SUMS2 ", {%2}, {%3}, " SUMS2 ";" : OUT2(kc) : ka(a[0]), ka(b[0]))
#define FORM_212(name, form, TA, ka, TC, kc) \
  FORM(name, TA, TC, form " " SUMS2 ", {%2, %3}, {%4}, " SUMS2 ";" : OUT2(kc) : ka(a[0]), ka(a[1]), ka(b[0]))
#define FORM_422(name, form, TA, ka, TC, kc)                                   \
  FORM(name, TA, TC, form " " SUMS2 ", {%2, %3, %4, %5}, {%6, %7}, " SUMS2 ";" \
       : OUT2(kc)                                                              \
       : ka(a[0]), ka(a[1]), ka(a[2]), ka(a[3]), ka(b[0]), ka(b[1]))
#define FORM_214(name, form, TA, ka, TC, kc) \
  FORM(name, TA, TC, form " " SUMS4 ", {%4, %5}, {%6}, " SUMS4 ";" : OUT4(kc) : ka(a[0]), ka(a[1]), ka(b[0]))
#define FORM_424(name, form, TA, ka, TC, kc)                                   \
  FORM(name, TA, TC, form " " SUMS4 ", {%4, %5, %6, %7}, {%8, %9}, " SUMS4 ";" \
       : OUT4(kc)                                                              \
       : ka(a[0]), ka(a[1]), ka(a[2]), ka(a[3]), ka(b[0]), ka(b[1]))
#define FORM_844(name, form, TA, ka, TC, kc)                                                                 \
  FORM(name, TA, TC, form " " SUMS4 ", {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, " SUMS4 ";" \
       : OUT4(kc)                                                                                            \
       : ka(a[0]), ka(a[1]), ka(a[2]), ka(a[3]), ka(a[4]), ka(a[5]), ka(a[6]), ka(a[7]), ka(b[0]), ka(b[1]), \
         ka(b[2]), ka(b[3]))
FORM_214(m16n8k8_f16_f16_f32, "m16n8k8.row.col.f32.f16.f16.f32", uint32_t, "r", float, "f")
FORM_212(m16n8k8_f16_f16_f16, "m16n8k8.row.col.f16.f16.f16.f16", uint32_t, "r", uint32_t, "r")
FORM_214(m16n8k8_bf16_bf16_f32, "m16n8k8.row.col.f32.bf16.bf16.f32", uint32_t, "r", float, "f")
FORM_424(m16n8k16_f16_f16_f32, "m16n8k16.row.col.f32.f16.f16.f32", uint32_t, "r", float, "f")
FORM_422(m16n8k16_f16_f16_f16, "m16n8k16.row.col.f16.f16.f16.f16", uint32_t, "r", uint32_t, "r")
FORM_424(m16n8k16_bf16_bf16_f32, "m16n8k16.row.col.f32.bf16.bf16.f32", uint32_t, "r", float, "f")
FORM_214(m16n8k4_tf32_tf32_f32, "m16n8k4.row.col.f32.tf32.tf32.f32", uint32_t, "r", float, "f")
FORM_424(m16n8k8_tf32_tf32_f32, "m16n8k8.row.col.f32.tf32.tf32.f32", uint32_t, "r", float, "f")
FORM_112(m8n8k4_f64_f64_f64, "m8n8k4.row.col.f64.f64.f64.f64", double, "d", double, "d")
FORM_214(m16n8k4_f64_f64_f64, "m16n8k4.row.col.f64.f64.f64.f64", double, "d", double, "d")
FORM_424(m16n8k8_f64_f64_f64, "m16n8k8.row.col.f64.f64.f64.f64", double, "d", double, "d")
FORM_844(m16n8k16_f64_f64_f64, "m16n8k16.row.col.f64.f64.f64.f64", double, "d", double, "d")
FORM_424(m16n8k32_e4m3_e4m3_f32, "m16n8k32.row.col.f32.e4m3.e4m3.f32", uint32_t, "r", float, "f")
FORM_424(m16n8k32_e4m3_e5m2_f32, "m16n8k32.row.col.f32.e4m3.e5m2.f32", uint32_t, "r", float, "f")
FORM_424(m16n8k32_e5m2_e4m3_f32, "m16n8k32.row.col.f32.e5m2.e4m3.f32", uint32_t, "r", float, "f")
FORM_112(m8n8k16_s8_s8_s32, "m8n8k16.row.col.s32.s8.s8.s32", uint32_t, "r", uint32_t, "r")
FORM_112(m8n8k16_s8_u8_s32, "m8n8k16.row.col.s32.s8.u8.s32", uint32_t, "r", uint32_t, "r")
FORM_214(m16n8k16_s8_s8_s32, "m16n8k16.row.col.s32.s8.s8.s32", uint32_t, "r", uint32_t, "r")
FORM_214(m16n8k16_u8_s8_s32, "m16n8k16.row.col.s32.u8.s8.s32", uint32_t, "r", uint32_t, "r")
FORM_214(m16n8k16_u8_u8_s32_satfinite, "m16n8k16.row.col.satfinite.s32.u8.u8.s32", uint32_t, "r", uint32_t,
         "r")
FORM_424(m16n8k32_s8_s8_s32, "m16n8k32.row.col.s32.s8.s8.s32", uint32_t, "r", uint32_t, "r")
FORM_424(m16n8k32_u8_u8_s32, "m16n8k32.row.col.s32.u8.u8.s32", uint32_t, "r", uint32_t, "r")
FORM_424(m16n8k32_s8_s8_s32_satfinite, "m16n8k32.row.col.satfinite.s32.s8.s8.s32", uint32_t, "r", uint32_t,
         "r")
FORM_112(m8n8k32_s4_u4_s32, "m8n8k32.row.col.s32.s4.u4.s32", uint32_t, "r", uint32_t, "r")
FORM_214(m16n8k32_s4_s4_s32, "m16n8k32.row.col.s32.s4.s4.s32", uint32_t, "r", uint32_t, "r")
FORM_424(m16n8k64_u4_s4_s32, "m16n8k64.row.col.s32.u4.s4.s32", uint32_t, "r", uint32_t, "r")
FORM_112(m8n8k128_b1_b1_s32_xor_popc, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", uint32_t, "r", uint32_t, "r")
FORM_214(m16n8k128_b1_b1_s32_xor_popc, "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", uint32_t, "r", uint32_t,
         "r")
FORM_424(m16n8k256_b1_b1_s32_xor_popc, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", uint32_t, "r", uint32_t,
         "r")
FORM_112(m8n8k128_b1_b1_s32_and_popc, "m8n8k128.row.col.s32.b1.b1.s32.and.popc", uint32_t, "r", uint32_t, "r")
FORM_214(m16n8k128_b1_b1_s32_and_popc, "m16n8k128.row.col.s32.b1.b1.s32.and.popc", uint32_t, "r", uint32_t,
         "r")
FORM_424(m16n8k256_b1_b1_s32_and_popc, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", uint32_t, "r", uint32_t,
         "r")

// ---- fragments: element i of a lane's registers, low to high ----------------------------------------------

struct place {
  int row, column;
};
typedef place place_of_a(int lane, int i);

static place one_row(int lane, int i, int in_register) { // m8n8
  return {lane / 4, lane % 4 * in_register + i};
}
static place words(int lane, int i) { // m16n8k4 and m16n8k8 of tf32 and f64
  return {lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4};
}
static place doubles_16(int lane, int i) {
  return {lane / 4 + (i % 2 ? 8 : 0), i % 2 ? i * 2 - 2 + lane % 4 : i * 2 + lane % 4};
}
static place halves_8(int lane, int i) {
  return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
}
static place halves_16(int lane, int i) {
  return {lane / 4 + (i < 2 || (4 <= i && i < 6) ? 0 : 8), lane % 4 * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}
static place bytes_16(int lane, int i) {
  return {lane / 4 + (i < 4 ? 0 : 8), lane % 4 * 4 + (i & 3)};
}
static place bytes_32(int lane, int i) {
  return {lane / 4 + (i < 4 || (8 <= i && i < 12) ? 0 : 8), lane % 4 * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}
static place nibbles_32(int lane, int i) {
  return {lane / 4 + (i < 8 ? 0 : 8), lane % 4 * 8 + (i & 7)};
}
static place nibbles_64(int lane, int i) {
  return {lane / 4 + (i < 8 || (16 <= i && i < 24) ? 0 : 8), lane % 4 * 8 + (i & 7) + (i < 16 ? 0 : 32)};
}
static place bits_128(int lane, int i) {
  return {lane / 4 + (i < 32 ? 0 : 8), lane % 4 * 32 + (i & 31)};
}
static place bits_256(int lane, int i) {
  return {lane / 4 + (i < 32 || (64 <= i && i < 96) ? 0 : 8), lane % 4 * 32 + (i & 31) + (i < 64 ? 0 : 128)};
}
// b, of every shape: in each lane, runs of as many rows as its register has elements, 4 such runs apart.
static place place_of_b(int lane, int i, int in_register) {
  return {i / in_register * 4 * in_register + lane % 4 * in_register + i % in_register, lane / 4};
}
static place place_of_c(int lane, int i) {
  return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + (i & 1)};
}

// ---- values -----------------------------------------------------------------------------------------------

enum element { F16, BF16, TF32, F32, F64, E4M3, E5M2, S32, S8, U8, S4, U4, B1 };

static int bits_of(element type) {
  switch (type) {
  case F64: return 64;
  case TF32:
  case F32:
  case S32: return 32;
  case F16:
  case BF16: return 16;
  case S4:
  case U4: return 4;
  case B1: return 1;
  default: return 8;
  }
}

static int64_t draw(random_numbers &numbers, element type) {
  uint32_t r = numbers.next();
  switch (type) {
  case S8: return static_cast<int8_t>(r);
  case U8: return static_cast<uint8_t>(r);
  case S4: return static_cast<int32_t>(r % 16) - 8;
  case U4: return r % 16;
  case B1: return r % 2;
  default: return static_cast<int64_t>(r % 9) - 4;
  }
}

template <class from> static uint64_t bits_as(from value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

static uint64_t encode(int64_t value, element type) {
  static const uint8_t e4m3[] = {0, 0x38, 0x40, 0x44, 0x48}, e5m2[] = {0, 0x3c, 0x40, 0x42, 0x44}; // 0 to 4
  uint64_t sign = value < 0 ? 0x80 : 0, magnitude = static_cast<uint64_t>(value < 0 ? -value : value);
  switch (type) {
  case F16: return bits_as(__half_raw(__float2half(static_cast<float>(value))).x);
  case BF16: return bits_as(__nv_bfloat16_raw(__float2bfloat16(static_cast<float>(value))).x);
  case TF32:
  case F32: return bits_as(static_cast<float>(value));
  case F64: return bits_as(static_cast<double>(value));
  case E4M3: return sign | e4m3[magnitude];
  case E5M2: return sign | e5m2[magnitude];
  default: return static_cast<uint64_t>(value) & ((1ull << bits_of(type)) - 1);
  }
}

// ---- one form ---------------------------------------------------------------------------------------------

struct form {
  const char *name;
  void (*kernel)(const uint64_t *, const uint64_t *, uint64_t *);
  int rows, depth;
  place_of_a *place;
  element a, b, sum;
  bool saturates, exclusive_or;
};

typedef std::vector<int64_t> matrix; // row by row
typedef std::vector<uint64_t> registers;

static int in_register(element type) {
  return bits_of(type) >= 32 ? 1 : 32 / bits_of(type);
}

// Puts element i of a lane's fragment into its register.
static void deal(registers &r, int lane, int i, element type, uint64_t bits) {
  r[lane * MOST_REGISTERS + i / in_register(type)] |= bits << i % in_register(type) * bits_of(type) % 64;
}

static void deal_factors(const form &f, const matrix &a, const matrix &b, registers &ra, registers &rb) {
  for (int lane = 0; lane < LANES; lane++) {
    for (int i = 0; i < f.rows * f.depth / LANES; i++) {
      place p = f.place ? f.place(lane, i) : one_row(lane, i, in_register(f.a));
      deal(ra, lane, i, f.a, encode(a[p.row * f.depth + p.column], f.a));
    }
    for (int i = 0; i < f.depth * COLUMNS / LANES; i++) {
      place p = place_of_b(lane, i, in_register(f.b));
      deal(rb, lane, i, f.b, encode(b[p.row * COLUMNS + p.column], f.b));
    }
  }
}

static registers deal_sums(const form &f, const matrix &c) {
  registers r(LANES * MOST_REGISTERS);
  for (int lane = 0; lane < LANES; lane++) {
    for (int i = 0; i < f.rows * COLUMNS / LANES; i++) {
      place p = place_of_c(lane, i);
      deal(r, lane, i, f.sum, encode(c[p.row * COLUMNS + p.column], f.sum));
    }
  }
  return r;
}

static void multiply(const form &f, const matrix &a, const matrix &b, matrix &c) {
  for (int row = 0; row < f.rows; row++) {
    for (int column = 0; column < COLUMNS; column++) {
      int64_t &sum = c[row * COLUMNS + column];
      for (int k = 0; k < f.depth; k++) {
        int64_t x = a[row * f.depth + k], y = b[k * COLUMNS + column];
        sum += f.exclusive_or ? x != y : x * y;
      }
      if (f.saturates && sum > INT32_MAX) sum = INT32_MAX;
      if (f.saturates && sum < INT32_MIN) sum = INT32_MIN;
    }
  }
}

static matrix draw_matrix(random_numbers &numbers, int count, element type) {
  matrix m(count);
  for (int64_t &value : m)
    value = draw(numbers, type);
  return m;
}

static void check_form(const form &f, random_numbers &numbers, int64_t bias) {
  matrix a = draw_matrix(numbers, f.rows * f.depth, f.a), b = draw_matrix(numbers, f.depth * COLUMNS, f.b);
  matrix c = draw_matrix(numbers, f.rows * COLUMNS, f.sum);
  for (size_t i = 0; i < c.size(); i++)
    c[i] += i % 2 ? bias : -bias;
  registers ra(LANES * MOST_REGISTERS), rb(LANES * MOST_REGISTERS), rc = deal_sums(f, c);
  deal_factors(f, a, b, ra, rb);
  multiply(f, a, b, c);
  guarded<uint64_t> da(ra.size()), db(rb.size()), dc(rc.size());
  da.set(ra);
  db.set(rb);
  dc.set(rc);
  f.kernel<<<1, LANES>>>(da.data(), db.data(), dc.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  registers got = dc.get(), expected = deal_sums(f, c);
  for (size_t i = 0; i < got.size(); i++)
    check_that(got[i] == expected[i], "%s: lane %zu, register %zu: %llx, not %llx", f.name,
               i / MOST_REGISTERS, i % MOST_REGISTERS, (unsigned long long)got[i],
               (unsigned long long)expected[i]);
}

int main() {
  static const form forms[] = {
      {"m16n8k8_f16_f16_f32", m16n8k8_f16_f16_f32, 16, 8, halves_8, F16, F16, F32, false, false},
      {"m16n8k8_f16_f16_f16", m16n8k8_f16_f16_f16, 16, 8, halves_8, F16, F16, F16, false, false},
      {"m16n8k8_bf16_bf16_f32", m16n8k8_bf16_bf16_f32, 16, 8, halves_8, BF16, BF16, F32, false, false},
      {"m16n8k16_f16_f16_f32", m16n8k16_f16_f16_f32, 16, 16, halves_16, F16, F16, F32, false, false},
      {"m16n8k16_f16_f16_f16", m16n8k16_f16_f16_f16, 16, 16, halves_16, F16, F16, F16, false, false},
      {"m16n8k16_bf16_bf16_f32", m16n8k16_bf16_bf16_f32, 16, 16, halves_16, BF16, BF16, F32, false, false},
      {"m16n8k4_tf32_tf32_f32", m16n8k4_tf32_tf32_f32, 16, 4, words, TF32, TF32, F32, false, false},
      {"m16n8k8_tf32_tf32_f32", m16n8k8_tf32_tf32_f32, 16, 8, words, TF32, TF32, F32, false, false},
      {"m8n8k4_f64_f64_f64", m8n8k4_f64_f64_f64, 8, 4, words, F64, F64, F64, false, false},
      {"m16n8k4_f64_f64_f64", m16n8k4_f64_f64_f64, 16, 4, words, F64, F64, F64, false, false},
      {"m16n8k8_f64_f64_f64", m16n8k8_f64_f64_f64, 16, 8, words, F64, F64, F64, false, false},
      {"m16n8k16_f64_f64_f64", m16n8k16_f64_f64_f64, 16, 16, doubles_16, F64, F64, F64, false, false},
      {"m16n8k32_e4m3_e4m3_f32", m16n8k32_e4m3_e4m3_f32, 16, 32, bytes_32, E4M3, E4M3, F32, false, false},
      {"m16n8k32_e4m3_e5m2_f32", m16n8k32_e4m3_e5m2_f32, 16, 32, bytes_32, E4M3, E5M2, F32, false, false},
      {"m16n8k32_e5m2_e4m3_f32", m16n8k32_e5m2_e4m3_f32, 16, 32, bytes_32, E5M2, E4M3, F32, false, false},
      {"m8n8k16_s8_s8_s32", m8n8k16_s8_s8_s32, 8, 16, nullptr, S8, S8, S32, false, false},
      {"m8n8k16_s8_u8_s32", m8n8k16_s8_u8_s32, 8, 16, nullptr, S8, U8, S32, false, false},
      {"m16n8k16_s8_s8_s32", m16n8k16_s8_s8_s32, 16, 16, bytes_16, S8, S8, S32, false, false},
      {"m16n8k16_u8_s8_s32", m16n8k16_u8_s8_s32, 16, 16, bytes_16, U8, S8, S32, false, false},
      {"m16n8k16_u8_u8_s32_satfinite", m16n8k16_u8_u8_s32_satfinite, 16, 16, bytes_16, U8, U8, S32, true,
       false},
      {"m16n8k32_s8_s8_s32", m16n8k32_s8_s8_s32, 16, 32, bytes_32, S8, S8, S32, false, false},
      {"m16n8k32_u8_u8_s32", m16n8k32_u8_u8_s32, 16, 32, bytes_32, U8, U8, S32, false, false},
      {"m16n8k32_s8_s8_s32_satfinite", m16n8k32_s8_s8_s32_satfinite, 16, 32, bytes_32, S8, S8, S32, true,
       false},
      {"m8n8k32_s4_u4_s32", m8n8k32_s4_u4_s32, 8, 32, nullptr, S4, U4, S32, false, false},
      {"m16n8k32_s4_s4_s32", m16n8k32_s4_s4_s32, 16, 32, nibbles_32, S4, S4, S32, false, false},
      {"m16n8k64_u4_s4_s32", m16n8k64_u4_s4_s32, 16, 64, nibbles_64, U4, S4, S32, false, false},
      {"m8n8k128_b1_b1_s32_xor_popc", m8n8k128_b1_b1_s32_xor_popc, 8, 128, nullptr, B1, B1, S32, false, true},
      {"m16n8k128_b1_b1_s32_xor_popc", m16n8k128_b1_b1_s32_xor_popc, 16, 128, bits_128, B1, B1, S32, false,
       true},
      {"m16n8k256_b1_b1_s32_xor_popc", m16n8k256_b1_b1_s32_xor_popc, 16, 256, bits_256, B1, B1, S32, false,
       true},
      {"m8n8k128_b1_b1_s32_and_popc", m8n8k128_b1_b1_s32_and_popc, 8, 128, nullptr, B1, B1, S32, false,
       false},
      {"m16n8k128_b1_b1_s32_and_popc", m16n8k128_b1_b1_s32_and_popc, 16, 128, bits_128, B1, B1, S32, false,
       false},
      {"m16n8k256_b1_b1_s32_and_popc", m16n8k256_b1_b1_s32_and_popc, 16, 256, bits_256, B1, B1, S32, false,
       false},
  };
  random_numbers numbers = {0x1234567};
  for (const form &f : forms) {
    check_form(f, numbers, 0);
    if (f.sum == S32) check_form(f, numbers, INT32_MAX - 200); // over the limits: wraps, or stays there
  }
  return self_check_result();
}
