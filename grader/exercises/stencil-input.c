// In: a case's sizes and random bits. Out: a number. The idea: the same whole numbers as everywhere, scaled
// by a power of two, so that sums stay exact: below the smallest normal float, which some instructions take
// for zero, and beyond all integer types. Or nearly all of them zero, where a program may leave a tile out.
#include "exercises/stencil-input.h"

#include "exercises/formulas.h"

enum { SMALL = 40, KINDS = 8 }; // widths

// Three more bits than the smallest float has below: an eighth of a sum is still exact.
#define BELOW_NORMAL 0x1p-142f
#define BEYOND_INT   0x1p+96f

float stencil_input(const size_t *size, unsigned count, uint32_t random) {
  const float number = tiles_2d_input(random);
  for (unsigned i = 0; i < count; i++)
    if (size[i] > SMALL) return number;
  switch (size[0] % KINDS) {
  case 3: return number * BELOW_NORMAL;
  case 6: return random % 64 ? 0 : number;
  case 7: return number * BEYOND_INT;
  default: return number;
  }
}
