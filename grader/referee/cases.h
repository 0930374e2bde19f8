// One case on one device: inputs in, a launch, everything that came out looked at. In: a case and a seed. Out: right, wrong
// with a message, or our own error. The idea: a case is right only if every single check has said so.
#ifndef REFEREE_CASES_H
#define REFEREE_CASES_H

#include "referee/session.h"

// The headline of a case whose numbers are wrong and that did nothing worse.
#define CASE_WRONG_VALUES "computes a wrong result"

enum case_verdict { CASE_ERROR, CASE_RIGHT, CASE_WRONG };

struct case_run {
  struct exercise_instance instance;
  bool hidden;
  void *input, *expected, *got; // host copies; input as it was before the launch
  struct device_buffer buffers[RUNNER_MAX_BUFFERS];
  unsigned buffer_count; // 1 when in place
};

struct case_result {
  enum case_verdict verdict;
  bool comes_back;    // the launcher returned and its kernels ended: another case may be tried
  bool runner_usable; // the same runner can take the next case
  bool names_case;    // the detail says which case it was
  char headline[256];
  char *detail;
  char rule[64];
  json_t *faults; // all broken rules of this run
  size_t fault_count;
  bool tells_little;  // one wrong element, and nothing beside it: another case may say more
  bool nothing_right; // not one element of the output
  bool no_kernel;     // nothing right, since no kernel has run; only the virtual Hopper knows
  unsigned line;      // of the student's file, where it is mended most likely; 0: not known
};

// False if memory is short.
bool case_prepare(struct case_run *run, const struct exercise *exercise, const struct exercise_case *the_case,
                  bool hidden, uint64_t seed);
void case_free(struct case_run *run);
// Allocates on the session's device and fills: input, poison, guards. Returns 0 or -1 (device_error).
int case_load(struct case_run *run, struct session *session);
void case_launch(struct case_run *run, struct session *session, unsigned launches, struct run_result *result);
// Looks at everything. After several launches in place, run->instance.launches says so and `expected` has been made anew.
void case_judge(struct case_run *run, struct session *session, const struct run_result *launched,
                struct case_result *result);
// All of it, from load to judge.
void case_perform(struct case_run *run, struct session *session, struct case_result *result);
// What the program printed since the case began: the first lines, printable; malloc'ed. NULL: nothing.
char *case_printed(const struct session *session);
void case_result_free(struct case_result *result);
// Fills `got` with the poison that an output holds before a launch.
void case_poison(struct case_run *run);
// Makes `expected` for run->instance.launches launches.
void case_expect(struct case_run *run);
// Turns what happened in place of an answer into a verdict. Returns false if there is an answer without an error.
bool case_judge_end(struct session *session, const struct run_result *launched, struct case_result *result);

#endif
