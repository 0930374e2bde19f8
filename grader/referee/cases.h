// One case on one device: writes the input, launches, checks everything. In: a case and a seed. Out: right,
// wrong with a message, or our own error. The idea: a case is right only if every single check has passed.
#ifndef REFEREE_CASES_H
#define REFEREE_CASES_H

#include "referee/known-cases.h"
#include "referee/session.h"

// The headline of what a machine was too busy to judge.
#define CASE_TOO_BUSY "is not judged: this machine is too busy"
// The headline of a case whose only mistake is wrong values.
#define CASE_WRONG_VALUES "computes a wrong result"
#define CASE_NO_RETURN    "does not come back"

enum case_verdict {
  CASE_ERROR,
  CASE_RIGHT,
  CASE_WRONG,
  CASE_UNJUDGED, // the machine was too busy to see how it ends
};

struct case_run {
  struct exercise_instance instance;
  bool hidden;
  bool sliced; // whether a right result shows without the host's arrays (slices.h): case_need_arrays
  const void *input, *expected; // host copies; `input` as it was before the launch
  void *got;
  struct known_cases *shared;     // what has cases that referees share, or NULL
  struct known_case known;        // where both are, if it has this one; else
  void *own_input, *own_expected; // they are here
  struct device_buffer buffers[DEVICE_MAX_BUFFERS];
  unsigned buffer_count; // 1 when in place
};

struct case_result {
  enum case_verdict verdict;
  bool comes_back;    // the launcher returned and its kernels ended, so another case may be tried
  bool runner_usable; // the same runner can take the next case
  bool names_case;    // the detail says which case it was
  char headline[256];
  char *detail;
  char rule[64];
  json_t *faults; // all broken rules of this run, as JSON
  size_t fault_count;
  bool only_error; // a CUDA error is all that is known; a broken rule of another run may be its reason
  // Another case may say more: 1, if no known mistake fits the wrong elements; 2, if nothing is known of what
  // they hold; 3, if the output has only one element. Else 0.
  unsigned silence;
  bool nothing_right; // not one element of the output
  bool no_kernel;     // no kernel has run; only the virtual Hopper knows that
  unsigned line;      // the line of the student's file to edit, most likely; 0: unknown
  bool is_guess;      // the line is one that often causes such a result, and nothing shows it
};

// known: what has such cases; NULL: none. False if there isn't enough memory. Makes no arrays of the host if
// the case is sliced: only the virtual Hopper can do without.
bool case_prepare(struct case_run *run, const struct exercise *exercise, const struct exercise_case *the_case,
                  bool hidden, uint64_t seed, struct known_cases *known);
// Makes what isn't there yet of `input`, `expected` and `got`. False: there isn't enough memory.
bool case_need_arrays(struct case_run *run);
// The same without `input`, `expected` and `got`: for a run whose values aren't judged. False if the exercise
// has no such case.
bool case_begin(struct case_run *run, const struct exercise *exercise, const struct exercise_case *the_case,
                bool hidden, uint64_t seed);
// Writes the input, or what an output holds before a launch, anywhere.
void case_make_input(const struct case_run *run, void *place);
void case_make_poison(const struct case_run *run, void *place, size_t bytes);
void case_free(struct case_run *run);
// Allocates the buffers on the session's device, with guards, and writes input and poison. Returns 0 or -1
// (device_error).
int case_load(struct case_run *run, struct session *session);
void case_launch(struct case_run *run, struct session *session, unsigned launches, struct run_result *result);
// Checks everything.
void case_judge(struct case_run *run, struct session *session, const struct run_result *launched,
                struct case_result *result);
// The same on the virtual Hopper, where a launch may break rules and have the right values all the same.
// `rules` gets broken rules and launches that failed, else CASE_RIGHT; `values` gets failed launches, too.
void case_judge_apart(struct case_run *run, struct session *session, const struct run_result *launched,
                      struct case_result *rules, struct case_result *values);
// The part of it that no values are needed for. True if there are none to judge: the launch has not ended
// well, or could not be run as it was meant. What rules say of values that are there stays in `rules`.
bool case_judge_rules(struct session *session, const struct run_result *launched, struct case_result *rules);
// Does it all, from case_load to case_judge; or to case_judge_apart.
void case_perform(struct case_run *run, struct session *session, struct case_result *result);
void case_perform_on_virtual(struct case_run *run, struct session *session, struct case_result *rules,
                             struct case_result *values);
// The first lines that the program has printed since the case began, made printable; malloc'ed. NULL: it has
// printed nothing.
char *case_printed(const struct session *session);
void case_result_free(struct case_result *result);
// Makes a verdict of a launch that didn't succeed. Returns false if it did: the runner has answered without
// an error.
bool case_judge_end(struct session *session, const struct run_result *launched, struct case_result *result);

#endif
