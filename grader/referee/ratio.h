// How fast a kernel is compared with the yardstick, and how certain that is. In: rounds that have timed both.
// Out: the ratio of the medians with an interval, and whether the target is reached. Pure arithmetic.
#ifndef REFEREE_RATIO_H
#define REFEREE_RATIO_H

#include <stdbool.h>
#include <stddef.h>

enum { RATIO_LEAST_ROUNDS = 9, RATIO_MOST_ROUNDS = 41 };

// The target counts as reached if the ratio may be above this much less than the target, so that noise alone
// fails nobody.
#define RATIO_SLACK 0.01

struct ratio_rounds {
  double kernel[RATIO_MOST_ROUNDS], yardstick[RATIO_MOST_ROUNDS]; // bytes per second
  unsigned count;
};

struct ratio {
  double kernel, yardstick; // medians
  double ratio;             // of the medians
  double low, high;         // an interval that holds the true median of the ratios in 95 of 100 cases
  double spread;            // of the yardstick: interquartile range over median
};

enum ratio_verdict { RATIO_OPEN, RATIO_REACHED, RATIO_MISSED };

void ratio_of(const struct ratio_rounds *rounds, struct ratio *ratio);
// RATIO_OPEN: more rounds are needed. After the last possible round, an open ratio counts as reached.
enum ratio_verdict ratio_decide(const struct ratio *ratio, unsigned rounds, double target);
// The median; sorts the values.
double ratio_median(double *values, size_t count);
// The part of the points that a ratio earns: none up to the floor, then in tenths, rounded down, to all at
// the target.
double ratio_credit(double ratio, double floor, double target);

#endif
