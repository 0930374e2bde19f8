// Whether a race says anything about the student's kernel. In: what was read off the yardstick, the clocks and the GPU besides the
// kernel's own speed. Out: fair, or why not. Pure: the readings may be made up.
#ifndef REFEREE_FAIRNESS_H
#define REFEREE_FAIRNESS_H

#include "device/gpu-health.h"
#include "referee/ratio.h"

// How far the yardstick may fall, or scatter, and the two clocks may differ, before it means something.
#define FAIRNESS_STEADY_WITHIN 0.04
#define FAIRNESS_CLOCKS_WITHIN 0.02
// No stream of reads or writes gets more of the memory's peak than this: refresh and turning around cost some.
#define FAIRNESS_MOST_OF_PEAK 0.985
#define FAIRNESS_MOST_RATIO   1.2 // where the peak isn't known
// A yardstick below this part of the peak is somebody's doing: a copy or a read alone gets 0.88 (a copy) to 0.97 (a read on an H200) of it.
#define FAIRNESS_ALONE 0.8

struct fairness {
  struct ratio ratio;
  double baseline;          // the yardstick's bytes per second before the student's program was started
  double peak;              // of the chip's memory, bytes per second; 0: unknown
  double apart;             // outside clock over the runner's events, minus 1
  struct gpu_health during; // while the student's program was there
  struct gpu_health alone;  // before it was started and after it had gone
};

enum fairness_verdict {
  FAIRNESS_FAIR,
  FAIRNESS_UNSTEADY,  // the yardstick fell or scattered
  FAIRNESS_CROWDED,   // it is slow throughout, and somebody else computes
  FAIRNESS_TOO_FAST,  // faster than the memory can be
  FAIRNESS_CLOCKS,    // the clocks disagree
  FAIRNESS_THROTTLED, // missed the target while the GPU's clocks were held back
};

enum fairness_verdict fairness_judge(const struct fairness *fairness, enum ratio_verdict verdict);
// Bytes per second above which nothing can have moved its bytes.
double fairness_most(const struct fairness *fairness);
// A clause about what was noticed, fair or not; "" for nothing.
void fairness_describe(const struct fairness *fairness, char *text, size_t size);

#endif
