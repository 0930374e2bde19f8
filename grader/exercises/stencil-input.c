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

FOR_EACH_MACHINE static void make_ordinary(const uint32_t words[RANDOM_WORDS], float numbers[RANDOM_WORDS]) {
  for (size_t i = 0; i < RANDOM_WORDS; i++) {
    TAKE_FOR_ORDINARY(words[i]);
    numbers[i] = tiles_2d_input(words[i]);
  }
}

void stencil_inputs(const size_t *size, unsigned count, const uint32_t words[RANDOM_WORDS],
                    float numbers[RANDOM_WORDS]) {
  bool is_small = true;
  for (unsigned i = 0; i < count; i++)
    is_small = is_small && size[i] <= SMALL;
  if (!is_small && exercise_are_ordinary(words)) {
    make_ordinary(words, numbers);
    return;
  }
  for (size_t i = 0; i < RANDOM_WORDS; i++)
    numbers[i] = stencil_input(size, count, words[i]);
}
