// The grader's commands. In: the arguments after the command's name. Out: an exit status: 0 passed, 1 fell
// short, 2 grader error or wrong usage. Each command prints its own messages.
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "report/output-format.h"

#include <stdint.h>

enum { STATUS_PASSED = 0, STATUS_FELL_SHORT = 1, STATUS_ERROR = 2 };

int command_check(int count, char **arguments);
int command_grade(int count, char **arguments);
int command_batch(int count, char **given);
int command_explain(int count, char **arguments);
int command_hint(int count, char **arguments);
int command_doctor(int count, char **arguments);
int command_fingerprint(int count, char **arguments);
int command_handout(int count, char **given);
int command_gradescope_zip(int count, char **given);
int command_validate(int count, char **given);
int command_mutants(int count, char **given);
int command_cases(int count, char **given);
int command_similar(int count, char **given);

// ---- arguments.c: what check, grade and batch share ----
enum { MOST_NAMED = 64 };
struct arguments {
  char lab[RECORD_NAME];
  const char *exercise;            // NULL: all
  const char *submission;          // NULL: the kit's own folder of the lab
  bool collected;                  // a batch has copied it already
  const struct lab_record *known;  // .. and has these records, so that the exercises need not be graded
  const char *alike;               // .. and shares this folder with the others (struct grading); NULL: none
  struct known_cases *known_cases; // .. and these cases; NULL: none
  const char *submissions;         // batch: the folder of folders
  const char *device, *output;
  const struct output_format *format;
  uint64_t seed;
  unsigned jobs;           // how many run at once; 0: as many as there are cores
  unsigned deadline;       // seconds for a launcher on the host, and the same again for its kernels
  unsigned build_deadline; // seconds for the compiler
  bool trusted;            // grade even if there are no walls
  bool seed_given;
  unsigned cores; // for the exercises together; 0: all
  // batch alone:
  const char *columns; // of grades.csv; NULL: the default ones
  const char *sheet;   // a platform's sheet to fill in; NULL: none
  const char *column;  // the sheet's heading; NULL: the lab's title, or the platform's usual one
  bool slurm;
  bool watch;         // grade again whenever the submissions have changed
  bool each;          // grade the same files again for each submission that has them
  bool board;         // write a page for everybody, too
  unsigned chunk;     // submissions per Slurm task; 0: chosen by the grader
  const char *sbatch; // more arguments for sbatch; NULL: none
  const char *share;  // FIRST-LAST: only these submissions, already copied; for Slurm's tasks
  const char *only[MOST_NAMED], *anew[MOST_NAMED]; // --only, --regrade
  size_t only_count, anew_count;
  // mutants alone:
  unsigned mutants;   // tried per exercise; 0: all
  bool first_failure; // is enough; see struct grading
};

enum { TAKES_FORMAT = 1, TAKES_SUBMISSIONS = 2, TAKES_MUTANTS = 4 };
// How many mutants of each exercise are tried if nothing is said.
enum { USUAL_MUTANTS = 30 };
// Returns 0, or -1 after a message on stderr.
int arguments_read(const char *command, unsigned takes, int count, char **given, struct arguments *arguments);

// Prints "grader: ..." on stderr and returns STATUS_ERROR.
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

// ---- batch-watch.c ----
// Calls `once` in a process of its own, at first and whenever the folder has changed. Returns when a signal
// says to stop.
int batch_watch(const char *folder, int (*once)(void *context), void *context);

// ---- grade-command.c ----
// The width of the terminal that standard output goes to; 0: it is no terminal.
unsigned terminal_columns(void);
// Grades arguments->submission; without walls only if it is `trusted`. 0, or an exit status after a message.
// The caller frees the record.
int grade_submission(const struct arguments *arguments, bool hidden_cases, struct lab_record *lab);

#endif
