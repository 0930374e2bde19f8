// What the referee tells its own kernels (trusted.cu) about one timed launch, and what they answer. Both sides include this.
#ifndef EXERCISES_TRUSTED_H
#define EXERCISES_TRUSTED_H

#include <stdint.h>

#include "exercises/formulas.h"

// Every TRUSTED_LATE-th element is written last, just before the launch: whoever has read the input earlier has read it in vain.
enum { TRUSTED_LATE = 65536 };

struct trusted_case {
  uint64_t rows, columns, pitch_bytes; // of the input
  struct exercise_key key, late_key;   // of the random numbers; of those written late
  uint32_t late_place;                 // which of TRUSTED_LATE neighbours comes late
  uint32_t bits;                       // 3-phase-reuse
  float a, b;                          // 4-store-commit-groups
};

struct trusted_finding {
  uint64_t wrong_outputs, changed_inputs; // elements
  uint64_t first_wrong, first_changed;    // the lowest index; meaningless if there is none
};

#endif
