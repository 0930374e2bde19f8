// Reductions in memory. In: an operation, a type, two runs of memory. Out: the first run, reduced. One idea:
// each element of any type is read, combined, and put back as bits by compare-and-swap, so workers that
// reduce integers need no order.
#include "virtual-hopper/async/reduce.h"

#include <string.h>

#include "virtual-hopper/base/numbers.h"

static bool is_float(enum ptx_type type) {
  return type == PTX_F16 || type == PTX_BF16 || type == PTX_F32 || type == PTX_F64;
}

bool async_reduce_known(enum async_operation operation, enum ptx_type type) {
  switch (operation) {
  case ASYNC_ADD_FTZ: return type == PTX_F32;
  case ASYNC_ADD:
    return type == PTX_U32 || type == PTX_S32 || type == PTX_U64 || type == PTX_S64 || is_float(type);
  case ASYNC_MIN:
  case ASYNC_MAX:
    return type == PTX_U32 || type == PTX_S32 || type == PTX_U64 || type == PTX_S64 || type == PTX_F16 ||
           type == PTX_BF16;
  case ASYNC_INC:
  case ASYNC_DEC: return type == PTX_U32;
  case ASYNC_AND:
  case ASYNC_OR:
  case ASYNC_XOR: return !is_float(type) && (ptx_type_size(type) == 4 || ptx_type_size(type) == 8);
  default: return false;
  }
}

bool async_reduce_ordered(enum async_operation operation, enum ptx_type type) {
  return operation == ASYNC_ADD_FTZ || (operation == ASYNC_ADD && is_float(type)) || operation == ASYNC_INC ||
         operation == ASYNC_DEC;
}

// ---- floating point ---------------------------------------------------------------------------------------

static uint32_t flush32(uint32_t bits) {
  return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

// The documentation says that .add.f32 flushes subnormals (PTX ISA 9.7.9.25.4.2). An H100 keeps them, bulk
// and tensor alike, unless the tensor's type is FLOAT32_FTZ.
static uint32_t add_f32(uint32_t a, uint32_t b) {
  return float_canonical_bits(float_from_bits(a) + float_from_bits(b));
}
static uint32_t add_f32_ftz(uint32_t a, uint32_t b) {
  return flush32(add_f32(flush32(a), flush32(b)));
}

static uint32_t add_half(enum ptx_type type, uint32_t a, uint32_t b) {
  if (type == PTX_F16) return half_from_float(half_to_float(a) + half_to_float(b));
  return bfloat_from_double((double)bfloat_to_float(a) + (double)bfloat_to_float(b));
}

static bool half_is_nan(enum ptx_type type, uint32_t bits) {
  return (bits & 0x7fffu) > (type == PTX_F16 ? 0x7c00u : 0x7f80u);
}

// Of a NaN and a number, the number is the result; of two NaNs, the canonical NaN. -0 is less than +0.
static uint32_t extreme_half(enum ptx_type type, bool largest, uint32_t a, uint32_t b) {
  if (half_is_nan(type, a)) return half_is_nan(type, b) ? 0x7fffu : b;
  if (half_is_nan(type, b)) return a;
  int32_t x = a & 0x8000u ? -(int32_t)(a & 0x7fffu) - 1 : (int32_t)a,
          y = b & 0x8000u ? -(int32_t)(b & 0x7fffu) - 1 : (int32_t)b;
  return (x > y) == largest ? a : b;
}

// ---- one element ------------------------------------------------------------------------------------------

static uint64_t combine_bits(enum async_operation operation, uint64_t a, uint64_t b) {
  return operation == ASYNC_AND ? a & b : operation == ASYNC_OR ? a | b : a ^ b;
}

static uint32_t combine32(enum async_operation operation, enum ptx_type type, uint32_t a, uint32_t b) {
  bool is_signed = type == PTX_S32, larger = is_signed ? (int32_t)a > (int32_t)b : a > b;
  switch (operation) {
  case ASYNC_ADD: return type == PTX_F32 ? add_f32(a, b) : a + b;
  case ASYNC_ADD_FTZ: return add_f32_ftz(a, b);
  case ASYNC_MIN: return larger ? b : a;
  case ASYNC_MAX: return larger ? a : b;
  case ASYNC_INC: return a >= b ? 0 : a + 1; // the result stays in 0..b
  case ASYNC_DEC: return a == 0 || a > b ? b : a - 1;
  default: return (uint32_t)combine_bits(operation, a, b);
  }
}

static uint64_t combine64(enum async_operation operation, enum ptx_type type, uint64_t a, uint64_t b) {
  bool larger = type == PTX_S64 ? (int64_t)a > (int64_t)b : a > b;
  switch (operation) {
  case ASYNC_ADD: return type == PTX_F64 ? double_to_bits(double_from_bits(a) + double_from_bits(b)) : a + b;
  case ASYNC_MIN: return larger ? b : a;
  case ASYNC_MAX: return larger ? a : b;
  default: return combine_bits(operation, a, b);
  }
}

static uint16_t combine16(enum async_operation operation, enum ptx_type type, uint16_t a, uint16_t b) {
  return (uint16_t)(operation == ASYNC_ADD ? add_half(type, a, b)
                                           : extreme_half(type, operation == ASYNC_MAX, a, b));
}

// One loop per width. Destinations are aligned to their elements: bulk destinations to 16 bytes, tensor
// elements to their size.
#define REDUCE_LOOP(bits)                                                                                   \
  static void reduce##bits(enum async_operation operation, enum ptx_type type, uint##bits##_t *destination, \
                           const uint8_t *source, uint32_t bytes) {                                         \
    for (uint32_t i = 0; i < bytes / sizeof *destination; i++) {                                            \
      uint##bits##_t operand, old = __atomic_load_n(&destination[i], __ATOMIC_RELAXED);                     \
      memcpy(&operand, source + i * sizeof operand, sizeof operand);                                        \
      while (!__atomic_compare_exchange_n(&destination[i], &old,                                            \
                                          combine##bits(operation, type, old, operand), true,               \
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED))                              \
        continue;                                                                                           \
    }                                                                                                       \
  }
REDUCE_LOOP(16)
REDUCE_LOOP(32)
REDUCE_LOOP(64)

void async_reduce(enum async_operation operation, enum ptx_type type, uint8_t *destination,
                  const uint8_t *source, uint32_t bytes) {
  switch (ptx_type_size(type)) {
  case 2: reduce16(operation, type, (uint16_t *)(void *)destination, source, bytes); return;
  case 4: reduce32(operation, type, (uint32_t *)(void *)destination, source, bytes); return;
  case 8: reduce64(operation, type, (uint64_t *)(void *)destination, source, bytes); return;
  default: die("no reduction for elements of %zu bytes", ptx_type_size(type));
  }
}
