// A class being graded. In: a roster and an output folder. Out: a result per student, and from them grades and pages. The idea: a result is a file,
// made in one step and named in it by the key of all that it came from; so a batch that was stopped anywhere goes on where it was, and
// what has changed is what is graded again.
//
//   OUT/batch.json            lab and seed, and what all results rest on
//   OUT/submissions/NAME/     what of the submission is graded
//   OUT/results/NAME.json     for machines and instructors: everything
//   OUT/feedback/NAME.html .txt .json   for the student: nothing about hidden cases
//   OUT/logs/NAME.log         what the grader itself had to say
//   OUT/grades.csv  OUT/report.html  OUT/sheet.csv (a platform's own sheet, filled in)
#ifndef CLASS_CLASS_H
#define CLASS_CLASS_H

#include "class/roster.h"
#include "class/sha256.h"
#include "device/device.h"
#include "referee/grading.h"
#include "report/record.h"

struct outcome {
  struct lab_record lab;
  bool known; // graded, now or before
  bool kept;  // from before
  char key[SHA256_TEXT];
  char notes[2048];
};

struct class {
  struct roster roster;
  struct outcome *outcomes;      // as many as students
  const struct grading *grading; // the lab, the kit, the device; not a submission
  const char *output;
  uint64_t seed;
  unsigned jobs;       // submissions at once
  size_t rescored;     // results from before for which lab.cfg has other points now
  bool share;          // one task of several over this folder: the submissions are taken in already
  const char *columns; // of grades.csv
  json_t *basis; // what all results rest on, and, from an earlier run, what they rested on; NULL: not known
  json_t *basis_before;
  // Grades one submission into the record, in a process of its own. 0, or an exit status after a message.
  int (*grade)(void *context, const char *submission, const char *name, struct lab_record *lab);
  void *context;
};

// ---- basis.c ----
json_t *basis_make(const struct class *class);
void basis_hash(const json_t *basis, struct sha256 *hash);
// What is not the same in both, by name; "": nothing.
char *basis_difference(const json_t *before, const json_t *now, char *text, size_t size);

// ---- class.c ----
char *class_path(const struct class *class, char path[PATH_MAX], const char *folder, const char *name,
                 const char *ending);
// Before anything is made or removed: 0, or -1 and `error` if submissions, or others' files, lie where the batch would write.
int class_check_places(const struct class *class, const char *submissions, char *error, size_t size);
// Makes the folders, reads or writes batch.json. 0, or -1 and `error`.
int class_open(struct class *class, bool seed_given, char *error, size_t size);
// Takes the submissions in and finds out which have a result already. 0, or -1 and `error`.
int class_collect(struct class *class, char *error, size_t size);
void class_close(struct class *class);

// ---- results.c ----
int result_save(const struct class *class, size_t index);
// Whether there is a result with the key of class->outcomes[index]. Fills the record.
bool result_read(struct class *class, size_t index);
// Writes it again if it says something else than is known now: other points, or whose it is. As result_save.
int result_renew(const struct class *class, size_t index);
// As result_read, from this device and without a grader error in it; scored by the lab's points as they are now.
bool result_load(struct class *class, size_t index);

// ---- schedule.c ----
// Grades what is not known yet of students [first, last). 0; -1: stopped by a signal.
int class_grade(struct class *class, size_t first, size_t last);

// ---- grades.c, feedback.c, page.c ----
// NULL if the columns are known, else the first that isn't.
const char *grades_check_columns(const char *columns, char *wrong, size_t size);
int grades_write(FILE *out, const void *class);
// The notes on one line.
enum { OUTCOME_NOTES = 2 * sizeof((struct outcome){0}.notes) };
char *outcome_notes(const struct outcome *outcome, char line[OUTCOME_NOTES]);
// A cell with what a student reads in a sheet.
void grades_feedback(FILE *out, const struct outcome *outcome);
int feedback_write(const struct class *class, size_t index);
int page_write(FILE *out, const void *class);
extern const char *const default_columns;

// ---- slurm.c ----
struct slurm_options {
  unsigned chunk;        // submissions per task; 0: chosen
  const char *arguments; // more for sbatch, such as "--partition=gpu --gpus=1"; NULL: none
};
// Lets a cluster grade what is not known yet, and waits. 0; 1: something is left ungraded; -1 after a message.
int slurm_grade(struct class *class, const struct slurm_options *options, char *const *command);

#endif
