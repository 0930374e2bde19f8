// In: fragments, addresses. Out: products, addresses of elements. One idea: units of neighbours, see wmma.h.
// Sums are those of mma.sync, all of k at once.
#include "virtual-hopper/execute/wmma.h"

#include <math.h>
#include <string.h>

#include "virtual-hopper/base/numbers.h"
#include "virtual-hopper/execute/collective.h"
#include "virtual-hopper/execute/lanes.h"
#include "virtual-hopper/execute/tensor-core.h"

enum { MOST_ELEMENTS = 512, MOST_SUMS = 256, WARP_BYTES = WARP_LANES * 4 };

static void meet(struct warp *w, const struct op *op, uint32_t lanes) {
  matrix_whole_warp(w, op, lanes);
}
void wmma_meet(struct warp *w, const struct op *op) {
  collective_meeting(w, op, meet);
}

// The lanes' units are of lines that are a power of 2 long.
#define ADDRESSES(name, BASE)                                                                               \
  LANES_HANDLER static void name(struct warp *w, const struct op *op) {                                     \
    const struct wmma_element *e = op->extra;                                                               \
    const uint32_t shift = (uint32_t)__builtin_ctz(e->in_line), half = e->half, bits = e->bits;             \
    const uint32_t neighbours = e->neighbours, unit = e->unit, in_line = e->in_line;                        \
    const bool across = e->across;                                                                          \
    const uint64_t offset = (uint64_t)op->immediate;                                                        \
    const uint32_t *stride = warp_register32(w, op->b);                                                     \
    const BASE *base = (const BASE *)(const void *)(w->registers + op->a);                                  \
    uint64_t *d = warp_register64(w, op->d);                                                                \
    FOR_LANES(const uint32_t line = (unit + i) >> shift, first = ((unit + i) & (in_line - 1)) * neighbours; \
              const uint64_t times = across ? first + half : line, more = across ? line : first;            \
              d[i] = base[i] + offset + (times * stride[i] + more) * bits / 8;)                             \
  }
ADDRESSES(addresses_narrow, uint32_t)
ADDRESSES(addresses_wide, uint64_t)

void wmma_address(struct warp *w, const struct op *op) {
  const struct wmma_element *e = op->extra;
  if (e->narrow)
    addresses_narrow(w, op);
  else
    addresses_wide(w, op);
}

void wmma_join(struct warp *w, const struct op *op) {
  const uint32_t *low = warp_register32(w, op->a), *high = warp_register32(w, op->b);
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    warp_register32(w, op->d)[lane] = (low[lane] & 0xffff) | high[lane] << 16;
  }
}

void wmma_part(struct warp *w, const struct op *op) {
  const uint32_t *a = warp_register32(w, op->a);
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    warp_register32(w, op->d)[lane] = a[lane] >> 16 * op->kind & 0xffff;
  }
}

// ---- fragments --------------------------------------------------------------------------------------------

struct place { // of an element in the registers
  uint32_t which, lane, nth;
};

// `line`, `along`: of the matrix as it lies in memory; `length`: elements of a line.
static struct place place_of(uint32_t line, uint32_t along, uint32_t length, enum mma_element type) {
  const uint32_t neighbours = wmma_neighbours(type);
  const uint32_t unit = line * (length / neighbours) + along / neighbours;
  return (struct place){unit / WARP_LANES, unit % WARP_LANES, along % neighbours};
}

static uint64_t bits_at(const struct warp *w, const uint32_t *registers, struct place at,
                        enum mma_element type) {
  const uint32_t bits = mma_element_bits(type);
  if (bits == 64) return warp_register64(w, registers[at.which])[at.lane];
  const uint64_t word = warp_register32(w, registers[at.which])[at.lane];
  return word >> at.nth * bits & ((1ull << bits) - 1);
}

static uint64_t a_bits(const struct warp *w, const struct wmma_plan *p, uint32_t row, uint32_t k) {
  const struct place at =
      p->a_by_columns ? place_of(k, row, p->m, p->a_type) : place_of(row, k, p->k, p->a_type);
  return bits_at(w, p->a, at, p->a_type);
}

static uint64_t b_bits(const struct warp *w, const struct wmma_plan *p, uint32_t k, uint32_t column) {
  const struct place at =
      p->b_by_rows ? place_of(k, column, p->n, p->b_type) : place_of(column, k, p->k, p->b_type);
  return bits_at(w, p->b, at, p->b_type);
}

// ---- products ---------------------------------------------------------------------------------------------

// With sums of both types the chip multiplies with f32, and converts c before, or d afterwards.
static uint32_t converted(uint32_t bits, enum mma_element from, enum mma_element to) {
  if (from == to) return bits;
  return to == MMA_F32 ? float_to_bits(half_to_float(bits)) : half_from_float(float_from_bits(bits));
}

// A matrix whose elements all have their place, as it lies in memory: registers hold units in that order.
static void take_matrix(const struct warp *w, const uint32_t *registers, uint32_t bytes, uint32_t *to) {
  for (uint32_t i = 0; i < bytes / WARP_BYTES; i++)
    memcpy(to + (size_t)i * WARP_LANES, warp_register32(w, registers[i]), WARP_BYTES);
}

static void unpack(const struct warp *w, const uint32_t *registers, struct tensor_factor *f, uint32_t lines,
                   enum mma_element type, bool along_k) {
  uint32_t words[MOST_ELEMENTS];
  take_matrix(w, registers, lines * f->depth * (mma_element_bits(type) / 8), words);
  tensor_unpack_matrix(f, lines, type, words, along_k);
  tensor_look_for_whole(f, lines, type);
}

static void multiply_floats(const struct warp *w, const struct wmma_plan *p, uint64_t *result) {
  static _Thread_local struct {
    int32_t significand[MOST_ELEMENTS], exponent[MOST_ELEMENTS], sign[MOST_ELEMENTS];
    uint8_t special[MOST_ELEMENTS];
    float number[MOST_ELEMENTS];
  } room[2];
  struct tensor_factor f[2];
  for (int i = 0; i < 2; i++)
    f[i] = (struct tensor_factor){.depth = p->k,
                                  .significand = room[i].significand,
                                  .exponent = room[i].exponent,
                                  .sign = room[i].sign,
                                  .special = room[i].special,
                                  .number = room[i].number};
  unpack(w, p->a, &f[0], p->m, p->a_type, !p->a_by_columns);
  unpack(w, p->b, &f[1], p->n, p->b_type, !p->b_by_rows);
  const enum mma_element type = p->c_type == p->sum_type ? p->sum_type : MMA_F32;
  const struct tensor_sums sums = tensor_sums_of_mma(p->a_type, p->b_type, type);
  uint32_t words[MOST_SUMS];
  take_matrix(w, p->c, p->m * p->n * (mma_element_bits(p->c_type) / 8), words);
  for (uint32_t row = 0; row < p->m; row++) {
    for (uint32_t block = 0; block < p->n / TENSOR_LANES; block++) {
      const uint32_t at = row * p->n + block * TENSOR_LANES;
      uint32_t c[TENSOR_LANES];
      for (uint32_t i = 0; i < TENSOR_LANES; i++)
        c[i] = converted(p->c_type == MMA_F32 ? words[at + i]
                                              : words[(at + i) / 2] >> (at + i) % 2 * 16 & 0xffff,
                         p->c_type, type);
      tensor_multiply(&sums, &f[0], row, &f[1], block, c);
      for (uint32_t i = 0; i < TENSOR_LANES; i++)
        result[at + i] = converted(c[i], type, p->sum_type);
    }
  }
}

static int64_t whole_of(uint64_t bits, enum mma_element type) {
  switch (type) {
  case MMA_S8: return (int8_t)bits;
  case MMA_S4: return (int64_t)((bits & 15) ^ 8) - 8;
  default: return (int64_t)bits;
  }
}

static uint64_t sum_of_wholes(const struct warp *w, const struct wmma_plan *p, uint32_t row, uint32_t column,
                              uint64_t c) {
  int64_t sum = (int32_t)c;
  for (uint32_t k = 0; k < p->k; k++) {
    const int64_t a = whole_of(a_bits(w, p, row, k), p->a_type),
                  b = whole_of(b_bits(w, p, k, column), p->b_type);
    sum += p->exclusive_or ? a ^ b : a * b;
  }
  if (p->saturates && sum > INT32_MAX) sum = INT32_MAX;
  if (p->saturates && sum < INT32_MIN) sum = INT32_MIN;
  return (uint32_t)sum;
}

static uint64_t sum_of_doubles(const struct warp *w, const struct wmma_plan *p, uint32_t row, uint32_t column,
                               uint64_t c) {
  double sum = double_from_bits(c);
  for (uint32_t k = 0; k < p->k; k++)
    sum = fma(double_from_bits(a_bits(w, p, row, k)), double_from_bits(b_bits(w, p, k, column)), sum);
  return double_to_bits(sum);
}

static void multiply_others(const struct warp *w, const struct wmma_plan *p, uint64_t *result) {
  float_round(p->rounding);
  for (uint32_t row = 0; row < p->m; row++) {
    for (uint32_t column = 0; column < p->n; column++) {
      const uint64_t c = bits_at(w, p->c, place_of(row, column, p->n, p->sum_type), p->sum_type);
      result[row * p->n + column] =
          p->sum_type == MMA_F64 ? sum_of_doubles(w, p, row, column, c) : sum_of_wholes(w, p, row, column, c);
    }
  }
}

static void write_sum(struct warp *w, const struct wmma_plan *p, struct place at, uint64_t bits) {
  const uint32_t offset = p->d[at.which];
  if (offset == OP_NO_REGISTER) return;
  if (p->sum_type == MMA_F64) {
    warp_register64(w, offset)[at.lane] = bits;
  } else if (p->sum_type == MMA_F16) {
    uint32_t *d = &warp_register32(w, offset)[at.lane];
    const uint32_t shift = at.nth * 16;
    *d = (*d & ~(0xffffu << shift)) | (uint32_t)bits << shift;
  } else {
    warp_register32(w, offset)[at.lane] = (uint32_t)bits;
  }
}

static void multiply(struct warp *w, const struct op *op, uint32_t lanes) {
  const struct wmma_plan *p = op->extra;
  if (!matrix_whole_warp(w, op, lanes)) return;
  uint64_t result[MOST_SUMS];
  if (p->sum_type == MMA_F32 || p->sum_type == MMA_F16)
    multiply_floats(w, p, result);
  else
    multiply_others(w, p, result);
  float_round(ROUND_NEAREST);
  // d is written last, since c and d may be the same registers.
  for (uint32_t i = 0; p->sum_type == MMA_F32 && i < p->sum_count; i++) {
    if (p->d[i] == OP_NO_REGISTER) continue;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
      warp_register32(w, p->d[i])[lane] = (uint32_t)result[i * WARP_LANES + lane];
  }
  for (uint32_t row = 0; p->sum_type != MMA_F32 && row < p->m; row++)
    for (uint32_t column = 0; column < p->n; column++)
      write_sum(w, p, place_of(row, column, p->n, p->sum_type), result[row * p->n + column]);
}

void wmma_multiply(struct warp *w, const struct op *op) {
  collective_meeting(w, op, multiply);
}
