// In: rounds. Out: a ratio and its interval. The idea: medians and order statistics assume nothing about the
// noise's distribution.
#include "referee/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

double ratio_median(double *values, size_t count) {
  qsort(values, count, sizeof *values, by_size);
  return count == 0 ? 0 : (values[(count - 1) / 2] + values[count / 2]) / 2;
}

// The sign test: how many of `count` sorted values may be left out at each end so that the true median lies
// between the others with a probability of at least 95 %. That is the largest k with P(fewer than k of
// `count` coins show heads) <= 2.5 %.
static unsigned left_out(unsigned count) {
  double each = exp2(-(double)count), below = 0;
  unsigned k = 0;
  while (below + each <= 0.025) {
    below += each;
    each *= (double)(count - k) / (k + 1);
    k++;
  }
  return k > 0 ? k - 1 : 0;
}

void ratio_of(const struct ratio_rounds *rounds, struct ratio *ratio) {
  double kernel[RATIO_MOST_ROUNDS], yardstick[RATIO_MOST_ROUNDS], ratios[RATIO_MOST_ROUNDS];
  unsigned count = rounds->count;
  *ratio = (struct ratio){0};
  if (count == 0) return;
  memcpy(kernel, rounds->kernel, count * sizeof *kernel);
  memcpy(yardstick, rounds->yardstick, count * sizeof *yardstick);
  for (unsigned i = 0; i < count; i++)
    ratios[i] = kernel[i] / yardstick[i];
  ratio->kernel = ratio_median(kernel, count);
  ratio->yardstick = ratio_median(yardstick, count);
  ratio->ratio = ratio->kernel / ratio->yardstick;
  ratio_median(ratios, count);
  unsigned off = left_out(count);
  // The ratio of the medians may differ from the median of the ratios; the interval holds both.
  ratio->low = fmin(ratios[off], ratio->ratio);
  ratio->high = fmax(ratios[count - 1 - off], ratio->ratio);
  ratio->spread = (yardstick[count - 1 - count / 4] - yardstick[count / 4]) / ratio->yardstick;
}

enum ratio_verdict ratio_decide(const struct ratio *ratio, unsigned rounds, double target) {
  if (rounds < RATIO_LEAST_ROUNDS) return RATIO_OPEN;
  if (ratio->low >= target) return RATIO_REACHED;
  if (!(ratio->high >= target * (1 - RATIO_SLACK))) return RATIO_MISSED;
  return rounds >= RATIO_MOST_ROUNDS ? RATIO_REACHED : RATIO_OPEN;
}

double ratio_credit(double ratio, double floor, double target) {
  if (!(ratio > floor) || !(target > floor)) return 0;
  // half-way between the two is half of the points
  double tenths = (ratio - floor) / (target - floor) * 10 + 1e-9;
  return tenths >= 10 ? 1 : trunc(tenths) / 10;
}
