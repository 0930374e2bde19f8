// What the stencils' inputs hold. Small matrices and volumes of some sizes hold numbers of other kinds than
// the large ones.
#ifndef EXERCISES_STENCIL_INPUT_H
#define EXERCISES_STENCIL_INPUT_H

#include "exercises/exercise.h"

// The number made of 32 random bits, in a case of `count` sizes, the width first. Arithmetic with a few of
// them is exact in float, in any order.
float stencil_input(const size_t *size, unsigned count, uint32_t random);
// Those of a row of words.
void stencil_inputs(const size_t *size, unsigned count, const uint32_t words[RANDOM_WORDS],
                    float numbers[RANDOM_WORDS]);

#endif
