// In: readings. Out: fair, or why not. The order of the checks matters: first those that make all other
// readings meaningless. Comparisons ask for good values, so that a NaN is never good.
#include "referee/fairness.h"

#include <math.h>

double fairness_most(const struct fairness *fairness) {
  return fairness->peak > 0 ? FAIRNESS_MOST_OF_PEAK * fairness->peak
                            : FAIRNESS_MOST_RATIO * fairness->ratio.yardstick;
}

double fairness_steady_within(const struct fairness *fairness) {
  return fairness->product ? FAIRNESS_PRODUCT_STEADY_WITHIN : FAIRNESS_STEADY_WITHIN;
}

static bool is_steady(const struct fairness *fairness) {
  const double within = fairness_steady_within(fairness);
  return fairness->ratio.yardstick >= fairness->baseline * (1 - within) && fairness->ratio.spread <= within;
}

static bool is_alone(const struct fairness *fairness) {
  return fairness->alone.others == 0 || !(fairness->peak > 0) ||
         fairness->ratio.yardstick >=
             (fairness->product ? FAIRNESS_PRODUCT_ALONE : FAIRNESS_ALONE) * fairness->peak;
}

enum fairness_verdict fairness_judge(const struct fairness *fairness, enum ratio_verdict verdict) {
  // The runner's time is a claim: it may be anything, even a NaN.
  const bool agree = fabs(fairness->apart) <= FAIRNESS_CLOCKS_WITHIN, steady = is_steady(fairness);
  if (!(steady && agree && verdict == RATIO_REACHED) && fairness->waited > FAIRNESS_WAITED_WITHIN)
    return FAIRNESS_TOO_BUSY;
  if (!steady) return FAIRNESS_UNSTEADY;
  if (!is_alone(fairness)) return FAIRNESS_CROWDED;
  if (!(fairness->ratio.kernel <= fairness_most(fairness))) return FAIRNESS_TOO_FAST;
  if (!agree) return FAIRNESS_CLOCKS;
  bool throttled = gpu_health_is_throttled(&fairness->alone) || gpu_health_is_throttled(&fairness->during);
  return throttled && verdict != RATIO_REACHED ? FAIRNESS_THROTTLED : FAIRNESS_FAIR;
}

bool fairness_was_kept_busy(const struct fairness *fairness, double without) {
  const double within = fairness_steady_within(fairness), yardstick = fairness->ratio.yardstick;
  if (fairness->alone.others > 0 || fairness->during.others > 0) return false;
  // It fell, and it is back where it was: not just on the two sides of a limit.
  const bool fell = yardstick < fairness->baseline * (1 - within),
             recovered = without >= fairness->baseline * (1 - within) && yardstick <= without * (1 - within);
  const bool limited =
      gpu_health_at_power_limit(&fairness->alone) || gpu_health_at_power_limit(&fairness->during);
  if (fairness->product && limited && yardstick >= without * (1 - FAIRNESS_POWER_LIMIT_TAKES)) return false;
  return fell && recovered;
}

const char *fairness_reason(const struct fairness *fairness) {
  if (fairness->alone.others > 0 || fairness->during.others > 0) return "another program uses the GPU";
  if (!is_alone(fairness)) return "the grader's own yardstick was slow";
  if (!(fairness->ratio.yardstick >= fairness->baseline * (1 - fairness_steady_within(fairness))))
    return "the GPU became slower meanwhile";
  if (!is_steady(fairness)) return "the GPU's speed varied";
  return "the GPU is slowed down";
}

void fairness_describe(const struct fairness *fairness, char *text, size_t size) {
  struct gpu_health seen = fairness->alone;
  gpu_health_join(&seen, &fairness->during);
  gpu_health_describe(&seen, text, size);
}
