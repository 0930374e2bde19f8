// Values for the reductions, and the list of operations with their types. The bulk and the tensor programs
// use them.
#ifndef TMA_LAB_TESTS_TMA_REDUCE_CUH
#define TMA_LAB_TESTS_TMA_REDUCE_CUH

#include "conformance.cuh"

enum { REDUCE_BYTES = 512 };

// Returns every pair of special values of a type, then pseudo-random bits. The first operand stands in global
// memory, the second in shared memory.
template <class bits>
static void operands(const bits *special, size_t count, std::vector<uint8_t> &a, std::vector<uint8_t> &b) {
  a.assign(REDUCE_BYTES, 0);
  b.assign(REDUCE_BYTES, 0);
  bits *x = reinterpret_cast<bits *>(a.data()), *y = reinterpret_cast<bits *>(b.data());
  uint64_t state = 0x9e3779b97f4a7c15ull;
  for (size_t i = 0; i < REDUCE_BYTES / sizeof(bits); i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    x[i] = i < count * count ? special[i / count] : static_cast<bits>(state >> 7);
    y[i] = i < count * count ? special[i % count] : static_cast<bits>(state >> 23);
  }
}

static inline void operands_of(char kind, std::vector<uint8_t> &a, std::vector<uint8_t> &b) {
  static const uint32_t words[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 5};
  static const uint64_t longs[] = {0, 1, 0x7fffffffffffffffull, 0x8000000000000000ull, 0xffffffffffffffffull};
  static const uint32_t floats[] = {0x00000000, 0x80000000, 0x00000001, 0x80400000, 0x3f800000,
                                    0x7f800000, 0xff800000, 0x7fc00001, 0x00ffffff};
  static const uint64_t doubles[] = {0,
                                     0x8000000000000000ull,
                                     1,
                                     0x3ff0000000000000ull,
                                     0x7ff0000000000000ull,
                                     0x7ff8000000000001ull,
                                     0x8010000000000000ull};
  static const uint16_t halves[] = {0x0000, 0x8000, 0x0001, 0x8200, 0x3c00, 0xbc01, 0x7c00,
                                    0xfc00, 0x7e01, 0xfe00, 0x7bff, 0x7d01, 0x3c03};
  static const uint16_t bfloats[] = {0x0000, 0x8000, 0x0001, 0x8040, 0x3f80, 0xbf81, 0x7f80,
                                     0xff80, 0x7fc1, 0xffc0, 0x7f7f, 0x7f81, 0x3f83};
  switch (kind) {
  case 'w': operands(words, 6, a, b); break;
  case 'l': operands(longs, 5, a, b); break;
  case 'f': operands(floats, 9, a, b); break;
  case 'd': operands(doubles, 7, a, b); break;
  case 'h': operands(halves, 13, a, b); break;
  default: operands(bfloats, 13, a, b); break;
  }
}

#endif
