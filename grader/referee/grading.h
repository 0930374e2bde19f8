// What is to be graded, and how: made once by the command line, read by everything below it.
// And one task: an exercise of it, graded in a process of its own, so that a crash of ours is that exercise's grader error.
#ifndef REFEREE_GRADING_H
#define REFEREE_GRADING_H

#include "device/device.h"
#include "exercises/exercise.h"
#include "referee/kit.h"
#include "referee/lab-config.h"
#include "referee/under-way.h"
#include "report/record.h"
#include "sandbox/sandbox.h"

struct grading {
  struct kit kit;
  struct lab_config config;
  char submission[PATH_MAX]; // absolute
  char taken_from
      [PATH_MAX]; // "", or what was handed in, if the submission is a scratch folder with the exercises out of that
  char directory[PATH_MAX]; // the caller's current one
  char only[RECORD_NAME];   // one exercise's name; "": all
  enum device_kind device;
  char device_description[256];
  enum sandbox_mode sandbox;
  char missing_walls[256]; // why the sandbox has none; ""
  bool hidden_cases;
  uint64_t seed;          // all others are made from it
  unsigned jobs;          // exercises at once
  unsigned workers;       // threads of a virtual launch
  double build_deadline;  // seconds the compiler may take, and as many of its processor time
  double host_deadline;   // seconds a launcher may take on the host
  double launch_deadline; // seconds a kernel may take
  struct gpu_list gpus;   // whichever is free is taken
  int gpu_lock; // a file of this grader's own, locked by its exercises where a GPU's (device/gpu-lock.h) can't be opened
};

struct task {
  const struct grading *grading;
  const struct exercise *exercise;
  const struct exercise_config *config;
  struct exercise_record *record;
  char source[PATH_MAX];      // the student's file, where they handed it in
  char main_source[PATH_MAX]; // what the compiler gets, in the scratch directory
  char scratch[PATH_MAX];
  char program[PATH_MAX];          // built by the build stage
  const struct requirement *unmet; // found by the rules stage; NULL: none
  struct under_way under_way;      // seen before the GPU is ours, which others wait for
  double waited;                   // seconds, for a GPU
  int progress;                    // lines for the progress display; -1: none
};

// A seed for one purpose, made from the grading's: the same number for the same names.
uint64_t task_seed(const struct task *task, const char *purpose, uint64_t number);
// Tells whoever watches what is being done: "correctness, 3 of 7". Never blocks for long, never fails.
void task_progress(const struct task *task, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Sets verdict, summary and headline of a stage. Returns the stage, so that a detail can be added.
struct stage_record *task_conclude(const struct task *task, enum stage which, enum verdict verdict,
                                   const char *summary, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// Adds a text to the stage's detail.
void stage_detail(struct stage_record *stage, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The stages, in order. Each sets its record and returns whether the next one makes sense.
bool build_stage(struct task *task);
bool rules_stage(struct task *task);
void correctness_stage(struct task *task);
void bandwidth_stage(struct task *task);

#endif
