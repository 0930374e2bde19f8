// A grading says what to grade, and how; the command line makes it, and everything below only reads it. A
// task is one exercise of a grading, graded in a process of its own, so that a crash of the grader is that
// exercise's grader error.
#ifndef REFEREE_GRADING_H
#define REFEREE_GRADING_H

#include "device/device.h"
#include "exercises/exercise.h"
#include "referee/bytes-in-flight.h"
#include "referee/code-key.h"
#include "referee/kit.h"
#include "referee/lab-config.h"
#include "report/record.h"
#include "sandbox/sandbox.h"

struct grading {
  struct kit kit;
  struct lab_config config;
  char submission[PATH_MAX]; // absolute
  // what was handed in, if `submission` is a scratch folder with exercises copied from it; else ""
  char taken_from[PATH_MAX];
  // The folder of the submission as compiler and program are told it: GRADING_NOBODYS where many are graded,
  // so that no program behaves in another way because of whose it is. "": `submission`.
  char called[PATH_MAX];
  char directory[PATH_MAX]; // the caller's current directory
  // A folder for verdicts of the same code (same-code.h), which this run's gradings share. "": there is none.
  char alike[PATH_MAX];
  struct known_cases *known_cases; // large cases that this run's gradings share (known-cases.h); NULL: none
  char only[RECORD_NAME];          // the only exercise to grade; "": all
  enum device_kind device;
  char device_description[256];
  enum sandbox_mode sandbox;
  char missing_walls[256]; // why the sandbox has no walls; "": it has
  bool hidden_cases;
  bool first_failure;     // ends the runs on the virtual Hopper: whether it fails is asked, not how
  uint64_t seed;          // all other seeds are made from it
  unsigned jobs;          // exercises at once
  unsigned workers;       // threads of a virtual launch
  double build_deadline;  // seconds for the compiler: wall clock, and the same of processor time
  double host_deadline;   // seconds for a launcher on the host
  double launch_deadline; // seconds for a kernel
  struct gpu_list gpus;   // each exercise takes one that is free
  // a file of this grader, which stands in for a GPU's lock file that can't be opened (device/gpu-lock.h)
  int gpu_lock;
};

// A folder that isn't there, which stands for every submission of a class.
#define GRADING_NOBODYS "/submission"
// See struct grading, `called`.
const char *grading_called(const struct grading *grading);

struct evidence;

struct task {
  const struct grading *grading;
  const struct exercise *exercise;
  const struct exercise_config *config;
  struct exercise_record *record;
  char source[PATH_MAX];      // the student's file, by the name that grading_called() gives its folder
  char main_source[PATH_MAX]; // what the compiler gets, in the scratch directory
  char scratch[PATH_MAX];
  char program[PATH_MAX];  // built by the build stage
  char built_in[PATH_MAX]; // where the sources were when the program was compiled; it names headers so
  struct code_keys keys;   // of the program; "": its code isn't known as a whole
  char *warning;       // of the compiler, which tells of a mistake in the student's file; NULL: there is none
  unsigned empty_body; // the line of the student's file where one is (empty-body.h); 0: there is none
  // Functions of its own that the program puts in the place of a library's, as nm tells them; "": none.
  char replaced[400];
  struct evidence *evidence;        // gathered by the rules stage
  const struct requirement *unmet;  // found by the rules stage; NULL: all are met
  char unmet_numbers[512];          // what was seen, and in which case; "": a hidden one
  struct bytes_in_flight in_flight; // observed before a GPU is taken, since others may wait for it
  struct exercise_case timed_case;  // what the bandwidth stage has timed
  double waited;                    // seconds spent waiting for a GPU
  double *worked; // processor seconds of all its runs on the virtual Hopper so far; NULL: nobody counts
  int progress;   // lines for the progress display; -1: none
};

// All runs of an exercise on the virtual Hopper share an allowance of processor time, so that no submission
// costs more, whatever it does: here it is, in seconds.
double task_allowance(const struct task *task);
// Adds to what they have taken.
void task_spend(const struct task *task, double seconds);
// Whether that, and these seconds more, are more than the allowance.
bool task_has_overdrawn(const struct task *task, double seconds);
// A seed for one purpose, made from the grading's seed; the same purpose and number give the same seed.
uint64_t task_seed(const struct task *task, const char *purpose, uint64_t number);
// Sends a progress line, such as "correctness on the GPU, case 3 of 7". Never blocks for long, never fails.
void task_progress(const struct task *task, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Sets verdict, summary and headline of a stage, and clears its detail. Returns the stage, so that a detail
// can be added.
struct stage_record *task_conclude(const struct task *task, enum stage which, enum verdict verdict,
                                   const char *summary, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// Adds a text to the stage's detail.
void stage_detail(struct stage_record *stage, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The stages, in order. Each fills its part of the record; the first two return whether the next one makes
// sense.
bool build_stage(struct task *task);
bool rules_stage(struct task *task);
void correctness_stage(struct task *task);
void bandwidth_stage(struct task *task);

#endif
