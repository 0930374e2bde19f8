// Whether a bandwidth measurement says anything about the student's kernel. In: readings of the yardstick,
// the clocks and the GPU. Out: fair, or why not. These are pure functions, so tests can make up the readings.
#ifndef REFEREE_FAIRNESS_H
#define REFEREE_FAIRNESS_H

#include "device/gpu-health.h"
#include "referee/ratio.h"

// How far the yardstick may fall or scatter, and how far the two clocks may differ, in a fair measurement.
#define FAIRNESS_STEADY_WITHIN 0.04
#define FAIRNESS_CLOCKS_WITHIN 0.02
// The part of the time for which other programs may keep the referee or the student's program from a
// processor: the ratio's slack is twice as much.
#define FAIRNESS_WAITED_WITHIN 0.005
// No stream of reads or writes gets a larger part of the memory's peak: refresh and turnarounds between reads
// and writes take the rest.
#define FAIRNESS_MOST_OF_PEAK 0.985
#define FAIRNESS_MOST_RATIO   1.2 // if the peak is unknown
// If the yardstick gets a smaller part of the peak, another program disturbs it. Alone, it gets 0.88 (a copy)
// to 0.97 (a read on an H200).
#define FAIRNESS_ALONE 0.8
// Products are limited by power and heat, so their yardstick varies more and gets a smaller part of the peak.
#define FAIRNESS_PRODUCT_STEADY_WITHIN 0.1
#define FAIRNESS_PRODUCT_ALONE         0.5
// At its power limit a chip multiplies at most this much slower than a cool one does: an H100 fell by up to
// 29 % (docs/measurements.md).
#define FAIRNESS_POWER_LIMIT_TAKES 0.35

struct fairness {
  bool product; // the kernel and the yardstick are matrix products; speeds are operations per second
  struct ratio ratio;
  double baseline;          // the yardstick's bytes per second before the student's program was started
  double peak;              // of the chip's memory, or of its tensor cores; 0: unknown
  double apart;             // time by the grader's clock over time by the runner's events, minus 1
  double waited;            // the part of the time for which other programs had the processors
  struct gpu_health during; // while the student's program was running
  struct gpu_health alone;  // before it was started and after it had ended
};

enum fairness_verdict {
  FAIRNESS_FAIR,
  FAIRNESS_TOO_BUSY,  // other programs had the processors, and that may be why something is amiss
  FAIRNESS_UNSTEADY,  // the yardstick fell or scattered
  FAIRNESS_CROWDED,   // the yardstick is slow throughout, and another program uses the GPU
  FAIRNESS_TOO_FAST,  // faster than the memory can be
  FAIRNESS_CLOCKS,    // the clocks disagree
  FAIRNESS_THROTTLED, // the kernel missed the target while the GPU's clocks were throttled
};

enum fairness_verdict fairness_judge(const struct fairness *fairness, enum ratio_verdict verdict);
// How far the yardstick may fall or scatter.
double fairness_steady_within(const struct fairness *fairness);
// The highest possible speed, in bytes (of a product, operations) per second. A faster kernel hasn't done its
// work.
double fairness_most(const struct fairness *fairness);
// Why the yardstick is unsteady: whether the student's program, which has ended by now, kept the GPU busy
// between its launches. `without`: the yardstick's speed since then. The power limit alone proves nothing.
bool fairness_was_kept_busy(const struct fairness *fairness, double without);
// Says in a few words why a measurement that isn't fair can't be judged, for a headline.
const char *fairness_reason(const struct fairness *fairness);
// Writes a clause about what NVML has noticed, fair or not; "" if nothing.
void fairness_describe(const struct fairness *fairness, char *text, size_t size);

#endif
