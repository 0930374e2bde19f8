// A class being graded. In: a roster and an output folder. Out: a result per student, and grades and pages
// made from the results. The idea: a result is a file, written in one step, and holds the key of everything
// it was made from. So a batch that was stopped continues where it was, and only what has changed is graded
// again.
//
//   OUT/batch.json            lab and seed, and the basis of all results
//   OUT/submissions/NAME/     the files of the submission that are graded
//   OUT/results/NAME.json     for machines and instructors: everything
//   OUT/feedback/NAME.html .txt .json   for the student: nothing about hidden cases
//   OUT/former/               .. and what was there for submissions that are not in grades.csv any more
//   OUT/names.json            the NAME that each folder or archive was given
//   OUT/logs/NAME.log         the grader's own messages
//   OUT/overrides.csv            written by instructors: what is changed by hand
//   OUT/last.json  OUT/changes.csv   what the last report said; what has changed from report to report
//   OUT/grades.csv  OUT/report.html  OUT/sheet.csv (a platform's own sheet, filled in)
//
// How functions report failures: class/failure.h.
#ifndef CLASS_CLASS_H
#define CLASS_CLASS_H

#include "class/failure.h"
#include "class/roster.h"
#include "device/device.h"
#include "referee/grading.h"
#include "report/record.h"
#include "virtual-hopper/base/sha256.h"

#include <limits.h>

// OUTCOME_NOTES: bytes of the notes on one submission. LONGEST_OUTPUT: leaves room for every path below the
// output folder.
enum { OUTCOME_NOTES = 2048, LONGEST_OUTPUT = PATH_MAX - 256 };

// What is known of one submission.
struct outcome {
  struct lab_record lab;
  bool known; // graded, in this run or an earlier one
  bool kept;  // graded in an earlier run
  bool stale; // .. and something has changed since, but only others were to be graded
  bool ask;   // an archive is damaged: not graded before its author has handed in again
  bool apart; // not to be graded in this run, whatever is known
  char key[SHA256_TEXT];
  char files[SHA256_TEXT];                         // the hash of what was handed in
  char sources[RECORD_MAX_EXERCISES][SHA256_TEXT]; // class/same-files.h
  char notes[OUTCOME_NOTES];                       // what was odd about the submission, one line each
};

// ---- marks.h ----
struct override;
struct history;
struct overrides {
  struct override *list; // malloc'ed
  size_t count;
};

struct class {
  struct roster roster;
  struct outcome *outcomes;      // one per student of the roster
  const struct grading *grading; // the lab, the kit, the device; no submission
  const char *output;            // the output folder
  uint64_t seed;
  unsigned jobs;              // submissions graded at the same time
  struct history *history;    // the last report, and what has changed since; NULL: not looked at
  struct overrides overrides; // what was changed by hand
  size_t rescored;            // kept results whose points lab.cfg has changed since
  bool quiet;                 // prints no line for a submission that has been graded
  bool each;                  // the same files are graded again for each submission that has them
  bool share;                 // one of several tasks on this folder: the submissions are taken in already
  const char *columns;        // of grades.csv
  // The submissions to grade alone, and those to grade anew.
  const char **only, **anew;
  size_t only_count, anew_count;
  // What all results depend on, now and in the earlier run; NULL: not known.
  json_t *basis;
  json_t *basis_before;
  // Grades one submission into the record, in a process of its own. `known`: records of exercises that need
  // not be graded.
  int (*grade)(void *context, const char *submission, const struct lab_record *known, struct lab_record *lab,
               char *error, size_t size);
  void *context;
};

// ---- places.c ----
// OUT/FOLDER/NAME and an ending; `folder` may be "". Returns `path`. Always fits: class_open refuses longer
// output folders.
char *class_path(const struct class *class, char path[PATH_MAX], const char *folder, const char *name,
                 const char *ending);
// Writes a file in one step, as whole_file_write does.
int class_write(const char *path, bool lasting, int (*write)(FILE *out, const void *what), const void *what,
                char *error, size_t size);
// Fails if submissions, or files that no batch made, lie where the batch would write and remove. Changes
// nothing on the disk.
int class_check_places(const struct class *class, const char *submissions, char *error, size_t size);

// ---- basis.c ----
// What every result depends on besides its submission. New reference.
json_t *basis_make(const struct class *class, char *error, size_t size);
// Adds the basis to a hash.
void basis_hash(const json_t *basis, struct sha256 *hash);
// Names what differs between the two; "": nothing. Returns `text`.
char *basis_difference(const json_t *before, const json_t *now, char *text, size_t size);

// ---- results.c ----
int result_save(const struct class *class, size_t index, char *error, size_t size);
// Whether there is a result with the key of class->outcomes[index]. Fills the record.
bool result_read(struct class *class, size_t index);
// Saves the result again if its file differs from what is known now: other points, or another student's name.
int result_renew(const struct class *class, size_t index, char *error, size_t size);
// The result that there is, whatever has changed since. Takes the key from it.
bool result_read_stale(struct class *class, size_t index);
// As result_read, but only a result from this device without a grader error. Scores it by the lab's present
// points.
bool result_load(struct class *class, size_t index);

// ---- class.c ----
// Makes the folders, takes the lock, reads or writes batch.json. class_close in either case.
int class_open(struct class *class, const char *submissions, bool seed_given, char *error, size_t size);
// Takes the submissions in, and finds out which have a result already.
int class_collect(struct class *class, char *error, size_t size);
void class_close(struct class *class);

// ---- schedule.c ----
// Grades those of the students [first, last) who have no result yet. Fails if a signal stops it; what was
// graded stays.
int class_grade(struct class *class, size_t first, size_t last, char *error, size_t size);

// ---- grades.c ----
// Fails if one of the columns is not known.
int grades_check_columns(const char *columns, char *error, size_t size);
// Writes OUT/grades.csv.
int grades_save(const struct class *class, char *error, size_t size);
// The outcome's notes on one line. Returns `line`.
enum { OUTCOME_LINE = 2 * OUTCOME_NOTES };
char *outcome_notes(const struct outcome *outcome, char line[OUTCOME_LINE]);
// Prints a cell with the comment that a student reads in a platform's sheet.
void grades_feedback(FILE *out, const struct class *class, size_t index);
// Prints a cell of text, in quotes.
void grades_text(FILE *out, const char *text);
extern const char *const default_columns;

// ---- feedback.c ----
// Writes what the student gets: OUT/feedback/NAME.*
int feedback_save(const struct class *class, size_t index, char *error, size_t size);

// ---- page.c ----
void page_print(FILE *out, const struct class *class);
// Writes OUT/report.html.
int page_save(const struct class *class, char *error, size_t size);

// ---- board.c ----
// Writes OUT/board.html, which names nobody.
int board_save(const struct class *class, char *error, size_t size);

// ---- slurm.c ----
struct slurm_options {
  unsigned chunk;        // submissions per task; 0: chosen here
  const char *arguments; // more arguments for sbatch, such as "--partition=gpu --gpus=1"; NULL: none
};
// Lets a cluster grade everything that has no result yet, and waits. A submission that it left ungraded is no
// failure.
int slurm_grade(struct class *class, const struct slurm_options *options, char *const *command, char *error,
                size_t size);

#endif
