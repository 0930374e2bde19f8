// What the stencils' inputs hold. Small matrices and volumes of some sizes hold numbers of other kinds than
// the large ones.
#ifndef EXERCISES_STENCIL_INPUT_H
#define EXERCISES_STENCIL_INPUT_H

#include "exercises/exercise.h"

// The number made of 32 random bits, in a case of `count` sizes, the width first. Arithmetic with a few of
// them is exact in float, in any order.
float stencil_input(const size_t *size, unsigned count, uint32_t random);
// Where the piece of a matrix or volume of floats begins.
float *stencil_place(const struct matrix_shape *shape, void *matrix, const struct matrix_piece *piece);
// The input's elements [first, last), in a case of `count` sizes: an exercise's `generate`.
void stencil_generate(const struct exercise_instance *instance, unsigned count, void *input, size_t first,
                      size_t last);

#endif
