// How fast a kernel is next to the yardstick, and how sure that is. In: rounds, each of which timed both. Out: the ratio of the
// medians with an interval, and whether the target is reached. Pure arithmetic.
#ifndef REFEREE_RATIO_H
#define REFEREE_RATIO_H

#include <stdbool.h>
#include <stddef.h>

enum { RATIO_LEAST_ROUNDS = 9, RATIO_MOST_ROUNDS = 41 };

// A ratio that isn't below the target by more than this counts as reached: nobody at the bar fails by the noise of a machine.
#define RATIO_SLACK 0.01

struct ratio_rounds {
  double kernel[RATIO_MOST_ROUNDS], yardstick[RATIO_MOST_ROUNDS]; // bytes per second
  unsigned count;
};

struct ratio {
  double kernel, yardstick; // medians
  double ratio, low,
      high;      // of the medians; an interval that holds the true median of the ratios in 95 of 100 cases
  double spread; // of the yardstick: the middle half of its rounds, over its median
};

enum ratio_verdict { RATIO_OPEN, RATIO_REACHED, RATIO_MISSED };

void ratio_of(const struct ratio_rounds *rounds, struct ratio *ratio);
// RATIO_OPEN: more rounds are needed to tell. After the last round the benefit of the doubt is the student's.
enum ratio_verdict ratio_decide(const struct ratio *ratio, unsigned rounds, double target);
// The median; sorts the values.
double ratio_median(double *values, size_t count);
// What part of the points a ratio below the target earns: none up to the floor, then in tenths; rounds down.
double ratio_credit(double ratio, double floor, double target);

#endif
