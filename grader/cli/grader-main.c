// The grader's front door. In: a command line. Out: the command's exit status: 0 everything asked for passed,
// 1 the submission fell short, 2 grader error or wrong usage.
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// FORMATS stands for the names of the output formats.
static const char usage[] =
    "usage: grader check LAB[/EXERCISE] [--submission DIR] [--device auto|gpu|virtual]\n"
    "       grader grade LAB[/EXERCISE] --submission DIR [--format FORMAT] [-o FILE]\n"
    "       grader batch LAB[/EXERCISE] SUBMISSIONS --out DIR [--jobs N] [--columns canvas|moodle|LIST]\n"
    "             [--sheet FILE [--column NAME]] [--only NAME].. [--regrade NAME].. [--each]\n"
    "             [--watch] [--board] [--slurm]\n"
    "       grader similar LAB[/EXERCISE] GRADES [--against GRADES]..    files of a class that are alike\n"
    "       grader handout LAB [-o FILE]              the students' archive\n"
    "       grader gradescope-zip LAB [-o FILE]       an autograder for Gradescope\n"
    "       grader validate LAB [--mutants N]         tests a lab: solutions, skeletons, cases, hints\n"
    "       grader mutants LAB[/EXERCISE] [--mutants N] [--submission DIR]\n"
    "       grader cases LAB                          its cases, a line each, for scripts\n"
    "       grader explain [RULE]                     the page of a rule, or a list of all\n"
    "       grader hint LAB/EXERCISE [--step N]       the next step, in words\n"
    "       grader doctor                             what this machine has and lacks\n"
    "       grader fingerprint FILE                   the `skeleton` of a file, for lab.cfg\n"
    "\n"
    "FORMAT: FORMATS.\n"
    "batch grades N submissions at once and can be stopped and started again. --sheet fills in a sheet\n"
    "that a learning platform has exported. With --slurm it is an array of jobs, --chunk N submissions\n"
    "each; --sbatch 'ARGUMENTS' are handed on to sbatch; a job runs with --share FIRST-LAST.\n"
    "overrides.csv in the folder of --out changes points by hand. --only NAME grades that submission\n"
    "alone, and --regrade NAME grades it anew although nothing has changed. --each grades files that are\n"
    "the same as somebody else's once more, and not just once for all.\n"
    "--watch grades what arrives until it is stopped; --board writes board.html, which names nobody.\n"
    "mutants makes single changes in the solutions, tries N per exercise (0: all; 30 if not given), and\n"
    "names those that pass; validate does so, too.\n"
    "check runs the public cases; grade and batch also the hidden ones. All three take --device, --seed\n"
    "N (repeats the numbers of an earlier run), --jobs N (exercises at once), --deadline SECONDS (for a\n"
    "launcher on the host, and again for its kernels; 10 if not given) and --build-deadline SECONDS (for\n"
    "the compiler; 90 if not given).\n"
    "grade and batch refuse to run where submissions can't be kept behind walls (doctor says why),\n"
    "unless they are --trusted.\n"
    "Exit status: 0 everything asked for passed, 1 the submission fell short, 2 grader error or wrong\n"
    "usage.\n";

static const struct {
  const char *name;
  int (*run)(int count, char **arguments);
} commands[] = {
    {"check", command_check},
    {"grade", command_grade},
    {"batch", command_batch},
    {"explain", command_explain},
    {"hint", command_hint},
    {"doctor", command_doctor},
    {"fingerprint", command_fingerprint},
    {"handout", command_handout},
    {"gradescope-zip", command_gradescope_zip},
    {"validate", command_validate},
    {"mutants", command_mutants},
    {"cases", command_cases},
    {"similar", command_similar},
};

// A caller may have closed stdin, stdout or stderr. No file opened later may get their numbers, and printing
// has to fail.
static void hold_streams(void) {
  for (int place = 0; place <= 2; place++)
    if (fcntl(place, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != place) _exit(STATUS_ERROR);
}

// The descriptors that a sandbox is given come from numbers out of the way. With too few of them it would be
// said that there are no walls here.
static bool has_descriptors(void) {
  enum { LEAST = 256, ENOUGH = 1024 };
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return true;
  if (limit.rlim_cur < ENOUGH) {
    limit.rlim_cur = limit.rlim_max < ENOUGH ? limit.rlim_max : ENOUGH;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur >= LEAST) return true;
  complain(
      "a process may have %llu files open here, and the grader needs %d: type ulimit -n %d, or ask who has "
      "set that limit",
      (unsigned long long)limit.rlim_cur, LEAST, ENOUGH);
  return false;
}

static void print_usage(FILE *out) {
  static const char mark[] = "FORMATS";
  char names[400];
  const char *at = strstr(usage, mark);
  fprintf(out, "%.*s%s%s", (int)(at - usage), usage, output_format_names(" or ", names, sizeof names),
          at + strlen(mark));
}

// A report that can't be printed must not exit 0.
static int finish(int status) {
  if ((fflush(stdout) == 0 && !ferror(stdout)) || status != STATUS_PASSED) return status;
  return complain("standard output cannot be written: %s", strerror(errno));
}

int main(int count, char **arguments) {
  hold_streams();
  signal(SIGXFSZ,
         SIG_IGN); // where files may not be large (ulimit -f), writing fails, and the message says so
  for (int i = 1; i < count; i++) {
    if (strcmp(arguments[i], "--help") != 0 && strcmp(arguments[i], "-h") != 0) continue;
    print_usage(stdout);
    return finish(STATUS_PASSED);
  }
  if (count < 2) {
    print_usage(stderr);
    return STATUS_ERROR;
  }
  if (!has_descriptors()) return STATUS_ERROR;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(arguments[1], commands[i].name) == 0) return finish(commands[i].run(count - 2, arguments + 2));
  return complain("there is no command `%.40s`; grader --help lists them", arguments[1]);
}
