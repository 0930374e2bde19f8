// Timed batches on a GPU: the student's launches and a yardstick of our own, turn about, over the same memory. In: an exercise
// and a built program. Out: for each round, how fast both were, and what was wrong with the results. The idea: every launch of a
// batch has a slot of its own, with input made just before and output poisoned, many times what the L2 cache holds in all.
#ifndef REFEREE_RACE_H
#define REFEREE_RACE_H

#include "device/gpu-health.h"
#include "exercises/trusted.h"
#include "referee/ratio.h"
#include "referee/session.h"

enum { RACE_MOST_SLOTS = 48, RACE_SAMPLES = 1024 };

struct race {
  const struct task *task;
  struct session session;
  struct exercise_instance instance;
  struct device_buffer regions[2]; // inputs of all slots; outputs, or in place the yardstick's targets
  uint64_t strides[2];             // from one slot to the next
  unsigned slots;
  double baseline; // the yardstick's bytes per second before the student's program was started
  double peak;     // of the chip's memory, bytes per second; 0: unknown
  unsigned processors;
  double latency;                  // seconds of one read that waits for nothing else; 0: unknown
  struct gpu_health alone, during; // what NVML said without the student's program, and while it was there
  uint64_t persisting;             // bytes of L2 set aside for what persists: in a context of ours
  uint64_t claimed_persisting;     // in the program's, if its runner is to be believed
  struct ratio_rounds rounds;
  double disagreement[RATIO_MOST_ROUNDS]; // outside clock over the runner's events, minus 1
};

enum race_end {
  RACE_DONE,
  RACE_BROKEN,    // our own trouble: device_error or `race->session` says what
  RACE_NO_MEMORY, // too little of the GPU's is free
  RACE_STOPPED,   // the program ended or returned an error: *launched says how
  RACE_WRONG,     // a launch left wrong results: *finding says which
  RACE_EARLY,     // results were still being written after the answer: *finding says of how many samples
};

struct race_finding {
  struct trusted_finding found;
  unsigned slot, launches; // which launch of how many
  double speed;            // bytes per second that the batch would have moved
  unsigned samples_late;   // of RACE_SAMPLES words of all results, those that changed after the answer
};

// Measures the yardstick alone and decides how many slots there will be. Opens and closes a device of its own.
enum race_end race_measure_baseline(struct race *race, char *error, size_t size);
// Starts the student's program. On RACE_STOPPED *launched says what happened.
enum race_end race_open(struct race *race, struct run_result *launched, char *error, size_t size);
// One round: prepares, times the yardstick, times the student's batch, checks. `keep`: counts; else it only warms up.
enum race_end race_round(struct race *race, unsigned number, bool keep, struct run_result *launched,
                         struct race_finding *finding);
// The yardstick alone, on what lies there. Bytes per second, 0 on failure.
double race_time_yardstick(struct race *race);
// Ends the student's program and looks at the GPU without it.
void race_leave_alone(struct race *race);
void race_close(struct race *race);

#endif
