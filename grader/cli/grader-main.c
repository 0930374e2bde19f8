// The grader's front door. In: a command line. Out: the command's exit status: 0 everything asked for passed, 1 the submission
// fell short, 2 grader error or wrong usage.
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: grader check LAB[/EXERCISE] [--submission DIR] [--device auto|gpu|virtual]\n"
    "       grader grade LAB[/EXERCISE] --submission DIR [--format FORMAT] [-o FILE]\n"
    "       grader batch LAB[/EXERCISE] SUBMISSIONS --out DIR [--jobs N] [--columns canvas|moodle|LIST]\n"
    "             [--sheet FILE [--column NAME]] [--slurm]\n"
    "       grader handout LAB [-o FILE]              the students' archive\n"
    "       grader gradescope-zip LAB [-o FILE]       an autograder for Gradescope\n"
    "       grader validate LAB                       proves a lab sound\n"
    "       grader cases LAB                          its cases, a line each, for scripts\n"
    "       grader explain [RULE]                     the page of a rule, or a list of all\n"
    "       grader hint LAB/EXERCISE [--step N]       the next step, in words\n"
    "       grader doctor                             what this machine has and lacks\n"
    "       grader fingerprint FILE                   as lab.cfg wants it for a skeleton\n"
    "\n"
    "FORMAT: text, json, gradescope, junit, autolab, classroom50 or prairielearn.\n"
    "batch grades N submissions at once and can be stopped and started again; with --slurm it is an array of jobs,\n"
    "--chunk N submissions each, and --sbatch 'ARGUMENTS' go to sbatch, --share FIRST-LAST is what a job does.\n"
    "--sheet fills in what a learning platform exported.\n"
    "check runs the public cases; grade and batch also the hidden ones.\n"
    "All three take --device, --seed N (repeats the numbers of an earlier run), --jobs N (exercises at once) and\n"
    "--deadline SECONDS (for a launcher on the host, and again for its kernels; 10 if not given) and\n"
    "--build-deadline SECONDS (for the compiler; 90 if not given).\n"
    "grade and batch refuse to run where submissions can't be kept behind walls (doctor tells); --trusted makes them.\n"
    "Exit status: 0 everything asked for passed, 1 the submission fell short, 2 grader error or wrong usage.\n";

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
    {"cases", command_cases},
};

// A caller may have closed the three: then nothing else that is opened may take their places, and what is printed fails.
static void hold_streams(void) {
  for (int place = 0; place <= 2; place++)
    if (fcntl(place, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != place) _exit(STATUS_ERROR);
}

// What nobody could read was not said.
static int finish(int status) {
  if ((fflush(stdout) == 0 && !ferror(stdout)) || status != STATUS_PASSED) return status;
  return complain("what there is to say cannot be written: %s", strerror(errno));
}

int main(int count, char **arguments) {
  hold_streams();
  for (int i = 1; i < count; i++) {
    if (strcmp(arguments[i], "--help") != 0 && strcmp(arguments[i], "-h") != 0) continue;
    fputs(usage, stdout);
    return finish(STATUS_PASSED);
  }
  if (count < 2) {
    fputs(usage, stderr);
    return STATUS_ERROR;
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(arguments[1], commands[i].name) == 0) return finish(commands[i].run(count - 2, arguments + 2));
  return complain("there is no command `%.40s`; grader --help lists them", arguments[1]);
}
