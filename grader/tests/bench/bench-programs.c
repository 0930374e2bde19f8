// How quick the virtual Hopper is on programs like those that people run. In: the programs of
// build/bench/programs; the vhopper of build, or those of the folders named, one after the other. Out: a
// table; exit 1 when a program fails or is accused. The idea: processor time of one worker in user mode, of a
// run with many launches less one with a single launch. So the load of other work disturbs least, and neither
// start-up nor what the program does on the host is counted. No figure decides anything.
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER "build/bench/programs/"
#define REPORT "build/bench/programs/report.json"

enum { MODES = 3, ROUNDS = 5, LINE = 64, LAUNCHES = 6 };

struct row {
  const char *name, *program, *argument;
};

static const struct row rows[] = {
    {"radix sort (cub)", "radix-sort", NULL},
    {"matrix product, by broadcast", "loops", "product"},
    {"matrix product, by stride", "loops", "product-strided"},
    {"sum by shuffles", "loops", "shuffles"},
    {"histogram by atomics", "loops", "histogram"},
    {"__syncthreads of 256 threads", "loops", "meetings"},
    {"stencil of tensor tiles", "tiles", "stencil"},
    {"ring of stages", "tiles", "ring"},
    {"cluster with multicast", "tiles", "cluster"},
    {"rows, one for each lane", "kinds", "strided"},
    {"gather and scatter", "kinds", "gather"},
    {"recursion", "kinds", "recursion"},
    {"array of each thread", "kinds", "local_array"},
    {"divergent loop", "kinds", "divergent"},
    {"atomics on global memory", "kinds", "global_atomics"},
    {"double precision", "kinds", "doubles"},
    {"pairs of halves", "kinds", "halves"},
    {"products of 128 bits", "kinds", "long_integers"},
    {"products by tensor cores", "kinds", "mma_products"},
    {"table of vectors", "kinds", "vectors"},
    {"the same beside bytes", "kinds", "bytes_and_vectors"},
    {"table of words", "kinds", "rotated"},
};

static const char *const modes[MODES][2] = {{"--no-check", NULL}, {"--seed", "1"}, {"--time", "h100"}};

static void start(const char *build, const struct row *row, const char *const mode[2], bool many) {
  char launches[8];
  char program[LINE], vhopper[4096];
  const char *arguments[16] = {vhopper, "run", "--quiet", "--workers", "1", "--json", REPORT, mode[0]};
  int count = 8;
  if (mode[1]) arguments[count++] = mode[1];
  snprintf(vhopper, sizeof vhopper, "%s/bin/vhopper", build);
  snprintf(program, sizeof program, FOLDER "%s", row->program);
  arguments[count++] = program;
  arguments[count++] = row->argument;
  snprintf(launches, sizeof launches, "%d", many ? LAUNCHES : 1);
  setenv("BENCH_LAUNCHES", launches, 1);
  const int nowhere = open("/dev/null", O_WRONLY); // for the program's own words
  if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) _exit(126);
  execv(vhopper, (char *const *)(uintptr_t)arguments);
  perror(vhopper);
  _exit(127);
}

// Returns the thread-instructions of all kernels of the last run.
static double thread_instructions(void) {
  double sum = 0;
  const char *kernel;
  json_t *report = json_load_file(REPORT, 0, NULL), *counters;
  json_object_foreach(json_object_get(report, "observed"), kernel, counters) sum +=
      json_number_value(json_object_get(counters, "thread_instructions"));
  json_decref(report);
  return sum;
}

struct spent {
  double seconds, instructions;
};

// What the program and its device took of the processor. False: it failed.
static bool run(const char *build, const struct row *row, const char *const mode[2], bool many,
                struct spent *spent) {
  struct rusage usage;
  int status;
  const pid_t child = fork();
  if (child == 0) start(build, row, mode, many);
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return false;
  spent->seconds = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
  spent->instructions = thread_instructions();
  return true;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The modes in turn, so that each meets the same load. rates[]: medians, in million thread-instructions a
// second.
static bool measure(const char *build, const struct row *row, double rates[MODES]) {
  double all[MODES][ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    for (int m = 0; m < MODES; m++) {
      struct spent many, once;
      if (!run(build, row, modes[m], false, &once) || !run(build, row, modes[m], true, &many)) return false;
      const double least = 1e-3, seconds = many.seconds - once.seconds; // least: what the clock can tell
      all[m][round] = 1e-6 * (many.instructions - once.instructions) / (seconds > least ? seconds : least);
    }
  }
  for (int m = 0; m < MODES; m++) {
    qsort(all[m], ROUNDS, sizeof **all, ascending);
    rates[m] = all[m][ROUNDS / 2];
  }
  return true;
}

// Returns 0 when all programs ran and nothing was reported.
static int print_table(const char *build) {
  int failed = 0;
  printf("%-30s %10s %10s %10s %8s\n", build, "unchecked", "checked", "--time", "ratio");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double rates[MODES];
    if (!measure(build, &rows[i], rates)) {
      printf("%-30s failed, or was accused\n", rows[i].name);
      failed = 1;
      continue;
    }
    printf("%-30s", rows[i].name);
    for (int m = 0; m < MODES; m++)
      printf(" %10.0f", rates[m]);
    printf(" %8.1f\n", rates[0] / rates[1]);
    fflush(stdout);
  }
  return failed;
}

int main(int argc, char **argv) {
  int failed = 0;
  printf("million thread-instructions a second of one core, user time; ratio: checked to unchecked\n");
  if (argc < 2) return print_table("build");
  for (int i = 1; i < argc; i++)
    failed |= print_table(argv[i]);
  return failed;
}
