// Arithmetic on sizes that come from outside. An untrusted program supplies counts, offsets, lengths and
// alignments, so every wrap of a sum or product must be detected. Each function returns whether the result
// fits.
#ifndef VIRTUAL_HOPPER_BASE_CHECKED_H
#define VIRTUAL_HOPPER_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool checked_add(uint64_t a, uint64_t b, uint64_t *sum) {
  return !__builtin_add_overflow(a, b, sum);
}

static inline bool checked_multiply(uint64_t a, uint64_t b, uint64_t *product) {
  return !__builtin_mul_overflow(a, b, product);
}

// Rounds `value` up to a multiple of `alignment`. An alignment of 0 changes nothing.
static inline bool checked_align_up(uint64_t value, uint64_t alignment, uint64_t *aligned) {
  uint64_t past = alignment ? value % alignment : 0;
  return checked_add(value, past ? alignment - past : 0, aligned);
}

// Places `bytes` at the first aligned offset from *end on. *start becomes their first offset, and *end the
// offset after them. Returns false, and changes nothing, when they would end past `most`.
static inline bool checked_place(uint64_t *end, uint64_t bytes, uint64_t alignment, uint64_t most,
                                 uint64_t *start) {
  uint64_t from, to;
  if (!checked_align_up(*end, alignment, &from) || !checked_add(from, bytes, &to) || to > most) return false;
  *start = from;
  *end = to;
  return true;
}

// Returns whether `bytes` at `offset` lie inside an object of `size` bytes.
static inline bool checked_inside(int64_t offset, uint64_t bytes, uint64_t size) {
  return offset >= 0 && bytes <= size && (uint64_t)offset <= size - bytes;
}

// Offsets of addresses wrap in 64 bits, as they do on the device.
static inline int64_t wrapping_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif
