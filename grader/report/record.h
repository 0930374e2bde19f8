// What the grader found out about one submission: the one record that every format is made from.
// A verdict that nobody has set is a grader error: a crash never looks like a pass, nor like a fail.
#ifndef REPORT_RECORD_H
#define REPORT_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum verdict {
  VERDICT_ERROR, // ours; never counted against a student
  VERDICT_PASS,
  VERDICT_FAIL,        // the student's
  VERDICT_UNGRADED,    // this machine can't judge it; its points leave the maximum
  VERDICT_NOT_REACHED, // a stage after one that failed; its points are lost with that one
};

enum stage { STAGE_BUILD, STAGE_RULES, STAGE_CORRECTNESS, STAGE_BANDWIDTH, STAGE_COUNT };
enum { RECORD_MAX_EXERCISES = 16, RECORD_NAME = 64 };

struct stage_record {
  enum verdict verdict;
  char summary[32];      // for the table: "ok", "1 broken", "5/6", "--", "0.93"
  char headline[256];    // one line, after the exercise's name: "breaks the rule proxy-fence"
  char *detail;          // what a person reads below it, lines ending in '\n'; NULL: nothing
  char rule[64];         // a page `grader explain` has; "": none
  json_t *faults;        // array of broken rules; NULL: none
  unsigned line;         // of the student's file, where it is mended most likely; 0: not known
  bool unmet;            // no rule is broken, but something isn't done that the exercise asks for
  bool hidden_case;      // the message is about a case that students don't see
  char *for_instructors; // what lab_record_hide has taken out of it; NULL: nothing
  bool has_ratio;
  double ratio;      // bandwidth over the yardstick's
  double credit;     // failed, but not for nothing: this part of the points, 0 to 1
  double max_points; // what the stage can give where it can be graded
};

struct exercise_record {
  char name[RECORD_NAME];
  enum verdict verdict;
  bool not_started; // the skeleton as given
  bool unchanged;   // judged at an earlier check, and nothing has changed since
  double seconds;   // without the wait for a GPU
  json_t *remarks;  // array of sentences: what a person should know besides the verdict; NULL: nothing
  struct stage_record stages[STAGE_COUNT];
};

struct lab_record {
  char lab[RECORD_NAME], submission[1024];
  char next[RECORD_NAME]; // the exercise after the only one that was asked for; "": none, or all were
  bool gpu;
  char device[256];  // "NVIDIA H100 80GB HBM3"; on the virtual Hopper: why no GPU is used
  uint64_t seed;     // --seed repeats everything that was drawn
  bool hidden_cases; // whether they were run
  double seconds;    // from the first to the last, as a clock on the wall has it
  struct exercise_record exercises[RECORD_MAX_EXERCISES];
  size_t exercise_count;
};

// Where a score stands: ungraded stages and those that failed through our fault leave the maximum.
struct score {
  double points, maximum;
};
// What a stage has earned.
double stage_points(const struct stage_record *stage);
struct score exercise_score(const struct exercise_record *exercise);
struct score lab_score(const struct lab_record *lab);
// What judging the exercises took, one after another, without the time in which others had the GPU.
double lab_work_seconds(const struct lab_record *lab);
// Worst of all: error, then fail, then pass. Exit statuses of check and grade: 2, 1, 0.
enum verdict lab_verdict(const struct lab_record *lab);
int lab_exit_status(const struct lab_record *lab);

// Sets an exercise's verdict from its stages'.
void exercise_conclude(struct exercise_record *exercise);
void lab_record_free(struct lab_record *lab);
void exercise_record_free(struct exercise_record *exercise);

const char *stage_name(enum stage stage);
const char *verdict_name(enum verdict verdict);

// The exercise as it stands in the JSON of the contract, with all that is needed to read it back. New reference.
json_t *exercise_record_json(const struct exercise_record *exercise);
// Reads it back; false, and nothing to be freed, if it isn't one.
bool exercise_record_from_json(const json_t *json, struct exercise_record *exercise);

// The whole record as the JSON of the contract. New reference; NULL without memory.
json_t *lab_record_json(const struct lab_record *lab);
// Reads it back; false if it isn't one. The record is the caller's to free in either case.
bool lab_record_from_json(const json_t *json, struct lab_record *lab);
// ---- student.c ----
// Takes out of the record what a student may not learn: which hidden case it was, its sizes, values and places.
void lab_record_hide(struct lab_record *lab);

// ---- formats: each writes the whole record and returns 0, or -1 if writing failed ----
// What those of JSON end with: takes the value over. flags: jansson's. -1 also for NULL.
int report_dump(FILE *out, json_t *json, size_t flags);
struct text_style {
  bool colour;
  const char *hint_prefix; // "make hint-": what to type for an exercise's hint, before its number
  unsigned width;          // columns of the terminal that reads it; 0: none, lines stay as they are
};
int report_text(FILE *out, const struct lab_record *lab, const struct text_style *style);
int report_json(FILE *out, const struct lab_record *lab);
int report_gradescope(FILE *out, const struct lab_record *lab);
int report_junit(FILE *out, const struct lab_record *lab);
int report_autolab(FILE *out, const struct lab_record *lab);
int report_classroom50(FILE *out, const struct lab_record *lab);
// The first variable that Classroom 50's workflow sets and that isn't set here, without which the platform refuses the report; NULL: none.
const char *report_classroom50_lacks(void);
int report_prairielearn(FILE *out, const struct lab_record *lab);

#endif
