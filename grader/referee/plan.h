// What a submission is run on by the virtual Hopper, drawn before anything runs. In: an exercise, its hidden
// cases, a seed. Out: cases, and runs of them in an order of their own. The idea: every run is judged by the
// same questions, and nothing that a program can see (size, order, count, what it was asked before) says what
// a run is for.
#ifndef REFEREE_PLAN_H
#define REFEREE_PLAN_H

#include "exercises/exercise.h"

struct task;

// As a slice of an H100 has, the smallest that it can be cut into (NVIDIA's MIG, profile 1g).
enum { FEW_PROCESSORS = 16 };

// In the order in which messages about them are preferred.
enum case_kind { KIND_RULES, KIND_PUBLIC, KIND_TINY, KIND_HIDDEN };

struct planned_case {
  struct exercise_case the_case;
  enum case_kind kind;
  size_t elements;    // of its input or its output, whichever is more
  uint64_t seed;      // of its input, in the first run; each further one counts up
  unsigned schedules; // how many runs it gets
  bool asked;         // it is large enough for requirements that are parts of its input or output
  bool large;         // and for those that are plain numbers
  bool few;           // the program is told of FEW_PROCESSORS, so that few blocks have many tiles each
};

struct planned_run {
  size_t which; // the case's number
  unsigned schedule;
  unsigned input;  // which of its case's inputs it gets: counted up in a row of paired runs
  bool fresh;      // it begins a new process
  bool paired;     // it repeats the run before it, with other numbers
  bool first_late; // the first block begins after the others
  // Which of the buffers (1: the input, 2: the output) stays where the run before had it. 0: none.
  unsigned stays;
};

struct plan {
  struct planned_case *cases; // ordered by kind
  struct planned_run *runs;
  size_t case_count, run_count;
};

// False: out of memory; nothing to free.
bool plan_draw(struct plan *plan, const struct task *task, const struct exercise_case *hidden,
               size_t hidden_count);
void plan_free(struct plan *plan);

#endif
