// What the grader found out about one submission: the record that every output format is made from. A verdict
// that was never set is a grader error, so a crash of the grader looks like neither a pass nor a fail.
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum verdict {
  VERDICT_ERROR, // a grader error; never counted against a student
  VERDICT_PASS,
  VERDICT_FAIL,        // the submission failed
  VERDICT_UNGRADED,    // this machine can't judge it; its points are taken out of the maximum
  VERDICT_NOT_REACHED, // a stage after one that failed; its points are lost
};

enum stage { STAGE_BUILD, STAGE_RULES, STAGE_CORRECTNESS, STAGE_BANDWIDTH, STAGE_COUNT };
enum { RECORD_MAX_EXERCISES = 16, RECORD_NAME = 64, RECORD_DONE = 320 };

struct stage_record {
  enum verdict verdict;
  char summary[32];      // for the table: "ok", "1 broken", "5/6", "--", "0.93"
  char headline[256];    // one line, after the exercise's name: "breaks the rule proxy-fence"
  char *detail;          // the text below the headline, lines ending in '\n'; NULL: nothing
  char rule[64];         // the broken rule, which `grader explain` has a page for; "": none
  json_t *faults;        // array of broken rules; NULL: none
  unsigned line;         // the line of the student's file that most likely has to be edited; 0: not known
  bool is_guess;         // nothing shows that it is that line
  bool unmet;            // no rule is broken, but a requirement of the exercise is not met
  bool hidden_case;      // the message is about a hidden case
  char *for_instructors; // what lab_record_hide has removed; NULL: nothing
  bool has_ratio;
  double ratio; // measured bandwidth / the yardstick's bandwidth
  bool has_predicted;
  double predicted_ratio; // by the time model, where nothing could be measured
  char *picture;          // SVG: one moment of the kernel, predicted; NULL: none
  double credit;          // partial credit of a stage that failed: the part of the points it earns, 0 to 1
  double max_points;      // the stage's points on a machine that can grade it
};

struct exercise_record {
  char name[RECORD_NAME];
  enum verdict verdict;
  bool not_started; // the file is still the skeleton
  bool unchanged;   // the verdict of an earlier check, which nothing has changed since
  double seconds;   // the time that judging took, without the wait for a GPU
  json_t *remarks;  // array of sentences: what a reader should know besides the verdict; NULL: nothing
  struct stage_record stages[STAGE_COUNT];
};

struct lab_record {
  char lab[RECORD_NAME], submission[1024];
  // The exercise after the one that was asked for; "": there is none, or all were asked for.
  char next[RECORD_NAME];
  bool in_order;  // the first exercise that isn't done is the one to do
  bool whole_lab; // all of the lab's exercises are here
  // Of a lab in order, if not all of it was asked for: how many exercises it has (0: not known), and how many
  // of the others are known to pass.
  size_t steps, others_passed;
  bool only_lab; // the kit has no other, so that make needs no LAB=
  bool gpu;
  char device[256];  // "NVIDIA H100 80GB HBM3"; on the virtual Hopper: why no GPU is used
  uint64_t seed;     // --seed with this number repeats everything that was drawn
  bool hidden_cases; // they were run, too
  double seconds;    // wall-clock time of the whole run
  struct exercise_record exercises[RECORD_MAX_EXERCISES];
  size_t exercise_count;
  // Of each exercise, from lab.cfg: what to say once it passes ("": nothing), whether nothing is timed, and
  // whether its speed is that of its arithmetic.
  char done[RECORD_MAX_EXERCISES][RECORD_DONE];
  bool untimed[RECORD_MAX_EXERCISES], in_tflops[RECORD_MAX_EXERCISES];
};

// Ungraded stages and grader errors are taken out of the maximum.
struct score {
  double points, maximum;
};
// The points that a stage has earned.
double stage_points(const struct stage_record *stage);
struct score exercise_score(const struct exercise_record *exercise);
struct score lab_score(const struct lab_record *lab);
// The sum of the exercises' seconds, so without waits for a GPU.
double lab_work_seconds(const struct lab_record *lab);
// The worst verdict of all exercises: error, else fail, else pass. The exit status of check and grade: 2, 1,
// 0.
enum verdict lab_verdict(const struct lab_record *lab);
int lab_exit_status(const struct lab_record *lab);

// Whether an exercise has no verdict because stages were left ungraded, without an error of the grader's.
bool exercise_is_unjudged(const struct exercise_record *exercise);
// Sets an exercise's verdict from the verdicts of its stages.
void exercise_conclude(struct exercise_record *exercise);
void lab_record_free(struct lab_record *lab);
void exercise_record_free(struct exercise_record *exercise);

const char *stage_name(enum stage stage);
const char *verdict_name(enum verdict verdict);

// The exercise as in the JSON that --format json prints, with everything needed to read it back. New
// reference.
json_t *exercise_record_json(const struct exercise_record *exercise);
// Reads it back. False, with nothing to free: the JSON is no exercise.
bool exercise_record_from_json(const json_t *json, struct exercise_record *exercise);

// The whole record as the JSON that --format json prints. New reference; NULL: out of memory.
json_t *lab_record_json(const struct lab_record *lab);
// Reads it back; false: the JSON is no record. lab_record_free in either case.
bool lab_record_from_json(const json_t *json, struct lab_record *lab);

// ---- student.c ----
// Removes what a student may not learn: which hidden case failed, its sizes, values and places.
void lab_record_hide(struct lab_record *lab);

// ---- writing reports; the output formats are listed in report/output-formats.def ----
// Writes the JSON value, a line end, and releases the value. `flags`: jansson's. 0; -1: the value is NULL, or
// writing failed.
int report_dump(FILE *out, json_t *json, size_t flags);
struct text_style {
  bool colour;
  const char *hint_prefix; // "make hint-": what to type for an exercise's hint, before its number
  unsigned width; // columns of the terminal that shows the text; 0: no terminal, lines stay as they are
};
// The text that a student reads. 0; -1: writing failed.
int report_text(FILE *out, const struct lab_record *lab, const struct text_style *style);

#endif
