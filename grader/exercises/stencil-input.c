// In: a case's sizes and random bits. Out: a number. The idea: the same whole numbers as everywhere, scaled
// by a power of two, so that sums stay exact: below the smallest normal float, which some instructions take
// for zero, and beyond all integer types. Or nearly all of them zero, where a program may leave a tile out.
#include "exercises/stencil-input.h"

#include "exercises/formulas.h"

#include <string.h>

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

static void make_numbers(const size_t *size, unsigned count, const uint32_t words[RANDOM_WORDS],
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

float *stencil_place(const struct matrix_shape *shape, void *matrix, const struct matrix_piece *piece) {
  void *row = (char *)matrix + piece->row * shape->pitch_bytes;
  return (float *)row + piece->column;
}

void stencil_generate(const struct exercise_instance *instance, unsigned count, void *input, size_t first,
                      size_t last) {
  uint32_t words[RANDOM_WORDS];
  float numbers[RANDOM_WORDS];
  for (size_t i = first, drawn; i < last; i += drawn) {
    drawn = exercise_random_words(instance, i, last, words);
    make_numbers(instance->the_case.size, count, words, numbers);
    struct matrix_piece piece;
    for (size_t done = 0; done < drawn; done += piece.count) {
      piece = matrix_piece_at(&instance->input, i + done, i + drawn);
      memcpy(stencil_place(&instance->input, input, &piece), numbers + done, piece.count * sizeof *numbers);
    }
  }
}
