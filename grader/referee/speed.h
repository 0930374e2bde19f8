// What the speed of an exercise is counted in, and what it is compared with. In: an exercise. Out: words and
// numbers. The idea: speeds are work a second everywhere; what a piece of work is, is said here alone.
#ifndef REFEREE_SPEED_H
#define REFEREE_SPEED_H

#include "exercises/exercise.h"

struct speed_unit {
  const char *key;       // of `speed` in lab.cfg
  const char *name;      // behind a number
  double size;           // bytes, or operations, a second
  const char *yardstick; // what runs at the ratio 1
};

const struct speed_unit *speed_unit_of(const struct exercise *exercise);
// What one launch does: bytes that an ideal kernel moves; or operations, two for each product.
double speed_work(const struct exercise_instance *instance);

#endif
