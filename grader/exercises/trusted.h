// What the referee tells its own kernels (LAB/trusted.cu) about one timed launch, and what they find. Both
// sides include this.
#ifndef EXERCISES_TRUSTED_H
#define EXERCISES_TRUSTED_H

#include <stdint.h>

#include "exercises/formulas.h"

// Every TRUSTED_LATE-th element is only written just before the launch, so a program that has read the input
// earlier has read stale elements.
enum { TRUSTED_LATE = 65536 };

struct trusted_case {
  uint64_t rows, columns, pitch_bytes; // of the input
  struct exercise_key key, late_key;   // of the random numbers; of the late elements'
  uint32_t late_place;                 // index modulo TRUSTED_LATE of the late elements
  float a, b;                          // only for 4-store-commit-groups
  uint64_t plane_rows;                 // only for 3-halo-3d: rows of one plane
};

// Of a product of m rows and n columns, summed over k.
struct trusted_product_size {
  uint32_t m, n, k;
};

// What the referee's host code has to know of the kernels for products: their boxes (those of a have ROWS by
// DEPTH elements, those of b COLUMNS by DEPTH, those of c 64 by PANEL), threads, and bytes of shared memory.
enum {
  TRUSTED_PRODUCT_ROWS = 128,
  TRUSTED_PRODUCT_COLUMNS = 256,
  TRUSTED_PRODUCT_DEPTH = 64,
  TRUSTED_PRODUCT_PANEL = 64,
  TRUSTED_PRODUCT_THREADS = 384,
  TRUSTED_PRODUCT_SHARED = 225 << 10
};

struct trusted_finding {
  uint64_t wrong_outputs, changed_inputs; // elements
  uint64_t first_wrong, first_changed;    // the lowest index of each; meaningless if there is none
};

#endif
