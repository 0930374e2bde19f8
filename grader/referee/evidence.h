// What the runs of a plan on the virtual Hopper have shown, case by case. In: a built program and a plan.
// Out: for each case its rules, requirements and values. Stages conclude from it; nobody runs a case for one
// stage.
#ifndef REFEREE_EVIDENCE_H
#define REFEREE_EVIDENCE_H

#include "referee/cases.h"
#include "referee/plan.h"
#include "referee/requirements.h"
#include "referee/stages.h"

struct case_evidence {
  struct exercise_instance instance;
  unsigned runs;             // that have been made and judged
  struct case_result broken; // the first run that broke a rule, failed or could not be judged
  struct case_result values; // the first run with wrong values, or else the last one
  struct unmet unmet;        // of the first run that lacks a requirement
  char *printed;             // by the first run; NULL: nothing
};

struct evidence {
  struct exercise_case hidden[HIDDEN_MAX_CASES];
  size_t hidden_count;    // 0 unless hidden cases are graded
  char hidden_error[400]; // the first mistake in their file; "": none
  struct plan plan;
  struct case_evidence *cases; // as many as the plan has
  bool comes_back;             // every launcher has returned, and its kernels have ended
  bool slow;                   // some runs took so long that they were made last
  bool unjudged;               // the machine was too busy for one run, and the others were not made
  bool opened;                 // a runner could be started each time; else `failed` says what happened
  struct case_result failed;   // or what a run says that the machine was too busy for
};

// Performs all runs, up to the first that doesn't come back. NULL: out of memory.
struct evidence *evidence_gather(struct task *task);
void evidence_free(struct evidence *evidence);

// Whether a case's runs broke a rule, failed, or could not be judged.
bool evidence_is_broken(const struct case_evidence *found);
// .. and more than a CUDA error says why: then the first such case is reported.
bool evidence_is_explained(const struct case_evidence *found);
// Whether all runs of a case were made and gave the right values.
bool evidence_is_right(const struct evidence *evidence, size_t which);

// Concludes the rules stage from what is broken or else unmet. False: nothing is, and nothing was concluded.
bool rules_take(struct task *task, const struct case_evidence *found, bool hidden);

#endif
