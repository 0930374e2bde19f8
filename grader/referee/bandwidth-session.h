// Measures bandwidth on a GPU: batches of the student's launches and a yardstick of our own alternate, over
// the same memory. In: an exercise and a built program. Out: for each round, the speed of both, and what was
// wrong with the results. The idea: every launch of a batch has a slot of its own, with fresh input and
// poisoned output; all slots together are many times as large as the L2 cache.
#ifndef REFEREE_BANDWIDTH_SESSION_H
#define REFEREE_BANDWIDTH_SESSION_H

#include "device/gpu-health.h"
#include "exercises/trusted.h"
#include "referee/ratio.h"
#include "referee/session.h"

enum { BANDWIDTH_MOST_SLOTS = 48, BANDWIDTH_SAMPLES = 1024, BANDWIDTH_QUICK_SAMPLES = 64 };

struct bandwidth_session {
  const struct task *task;
  struct session session;
  struct exercise_instance instance;
  struct device_buffer regions[2]; // inputs of all slots; outputs (in place: only the yardstick writes there)
  uint64_t strides[2];             // from one slot to the next
  unsigned slots;
  // speeds are bytes per second; of a product, operations per second
  double baseline; // the yardstick's before the student's program was started
  double peak;     // of the chip's memory, or of its tensor cores; 0: unknown
  unsigned processors;
  double latency;                  // seconds of one read when no other is in flight; 0: unknown
  struct gpu_health alone, during; // NVML's findings without the student's program, and while it was there
  uint64_t persisting;             // bytes of L2 set aside for persisting accesses in a context of ours
  uint64_t claimed_persisting;     // the same in the program's context, according to its runner
  struct ratio_rounds rounds;
  double disagreement[RATIO_MOST_ROUNDS]; // outside clock over the runner's events, minus 1
  // The part of the student's batch, or of the yardstick's if that is more, for which other programs had the
  // processors.
  double waited[RATIO_MOST_ROUNDS];
};

enum bandwidth_end {
  BANDWIDTH_DONE,
  BANDWIDTH_BROKEN,    // our own failure: `error` or device_error says what
  BANDWIDTH_NO_MEMORY, // too little of the GPU's memory is free
  BANDWIDTH_STOPPED,   // the program ended or returned an error: *launched says how
  BANDWIDTH_WRONG,     // a launch left wrong results: *finding says which
  BANDWIDTH_EARLY,     // results were still written after the answer: *finding says how many samples
};

struct bandwidth_finding {
  struct trusted_finding found;
  unsigned slot, launches; // which launch of how many
  double speed;            // if the batch has done all its work
  unsigned samples_late,
      samples; // how many words of the results changed after the answer, of how many that were read
};

// Measures the yardstick alone and decides how many slots there will be. Opens and closes a device of its
// own.
enum bandwidth_end bandwidth_measure_baseline(struct bandwidth_session *timed, char *error, size_t size);
// Starts the student's program. On BANDWIDTH_STOPPED *launched says what happened.
enum bandwidth_end bandwidth_open(struct bandwidth_session *timed, struct run_result *launched, char *error,
                                  size_t size);
// One round: prepares, times the yardstick, times the student's batch, checks. If not `keep`, the round only
// warms up.
enum bandwidth_end bandwidth_round(struct bandwidth_session *timed, unsigned number, bool keep,
                                   struct run_result *launched, struct bandwidth_finding *finding);
// Times the yardstick alone, on whatever the memory holds. Work per second, 0 on failure.
double bandwidth_time_yardstick(struct bandwidth_session *timed);
// Ends the student's program and asks NVML about the GPU without it.
void bandwidth_leave_alone(struct bandwidth_session *timed);
void bandwidth_close(struct bandwidth_session *timed);

#endif
