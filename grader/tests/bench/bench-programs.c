// How quick the virtual Hopper is on programs like those that people run. In: the programs of
// build/bench/programs; the vhopper of build, or those of the folders named. Out: a table; exit 1 when a
// program fails or is accused. The idea: processor time of one worker, of a run with many launches less one
// with a single launch. So neither start-up nor what the program does on the host is counted. Builds and
// modes take turns, and ratios are those of a turn, so all meet the same load. No figure decides anything.
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

enum { MODES = 3, MOST_ROUNDS = 99, LINE = 64, LAUNCHES = 6, MOST_BUILDS = 8 };

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

struct bench {
  const char *builds[MOST_BUILDS], *only; // only: a word of the rows' names; NULL: all
  int build_count, rounds, modes;
  char report[LINE]; // this process's own: several may run
};

static void start(const struct bench *bench, const char *build, const struct row *row,
                  const char *const mode[2], bool many) {
  char launches[8];
  char program[LINE], vhopper[4096];
  const char *arguments[16] = {vhopper, "run", "--quiet", "--workers", "1", "--json", bench->report, mode[0]};
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
static double thread_instructions(const struct bench *bench) {
  double sum = 0;
  const char *kernel;
  json_t *report = json_load_file(bench->report, 0, NULL), *counters;
  json_object_foreach(json_object_get(report, "observed"), kernel, counters) sum +=
      json_number_value(json_object_get(counters, "thread_instructions"));
  json_decref(report);
  return sum;
}

static double seconds_of(const struct timeval *t) {
  return (double)t->tv_sec + 1e-6 * (double)t->tv_usec;
}

struct spent {
  double seconds, instructions;
};

// What the program and its device took of the processor. False: it failed.
static bool run(const struct bench *bench, const char *build, const struct row *row,
                const char *const mode[2], bool many, struct spent *spent) {
  struct rusage usage;
  int status;
  const pid_t child = fork();
  if (child == 0) start(bench, build, row, mode, many);
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return false;
  spent->seconds = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
  spent->instructions = thread_instructions(bench);
  return true;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *all, int count) {
  qsort(all, (size_t)count, sizeof *all, ascending);
  return all[count / 2];
}

// Of one build: milliseconds of a launch by mode, and how they compare, in each round.
struct readings {
  double ms[MODES][MOST_ROUNDS], ratio[MOST_ROUNDS], instructions;
};

static bool read_once(const struct bench *bench, const struct row *row, int build, int round,
                      struct readings *of) {
  for (int m = 0; m < bench->modes; m++) {
    struct spent many, once;
    if (!run(bench, bench->builds[build], row, modes[m], false, &once) ||
        !run(bench, bench->builds[build], row, modes[m], true, &many))
      return false;
    const double least = 1e-3, seconds = many.seconds - once.seconds; // least: what the clock can tell
    of->ms[m][round] = 1e3 * (seconds > least ? seconds : least) / (LAUNCHES - 1);
    of->instructions = (many.instructions - once.instructions) / (LAUNCHES - 1);
  }
  of->ratio[round] = of->ms[1][round] / of->ms[0][round];
  return true;
}

static void print_row(const struct bench *bench, const char *name, const char *build, struct readings *of) {
  printf("%-30s %-12s", name, bench->build_count > 1 ? build : "");
  for (int m = 0; m < bench->modes; m++) {
    const double ms = median(of->ms[m], bench->rounds);
    printf(" %7.1f %6.0f", ms, 1e-3 * of->instructions / ms);
  }
  const double middle = median(of->ratio, bench->rounds); // which puts them in order
  printf(" %5.1f (%.1f to %.1f)\n", middle, of->ratio[bench->rounds / 4],
         of->ratio[bench->rounds - 1 - bench->rounds / 4]);
  fflush(stdout);
}

static int measure(const struct bench *bench, const struct row *row) {
  static struct readings all[MOST_BUILDS];
  for (int round = 0; round < bench->rounds; round++)
    for (int i = 0; i < bench->build_count; i++) {
      if (read_once(bench, row, i, round, &all[i])) continue;
      printf("%-30s %s: failed, or was accused\n", row->name, bench->builds[i]);
      return 1;
    }
  for (int i = 0; i < bench->build_count; i++)
    print_row(bench, i ? "" : row->name, bench->builds[i], &all[i]);
  return 0;
}

static int usage(void) {
  fputs("bench-programs [--only WORD] [--rounds N] [--untimed] [BUILD ...]\n", stderr);
  return 2;
}

static bool take_arguments(struct bench *bench, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--untimed") == 0)
      bench->modes = MODES - 1;
    else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
      bench->only = argv[++i];
    else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
      bench->rounds = atoi(argv[++i]);
    else if (argv[i][0] == '-' || bench->build_count == MOST_BUILDS)
      return false;
    else
      bench->builds[bench->build_count++] = argv[i];
  }
  if (bench->build_count == 0) bench->builds[bench->build_count++] = "build";
  return bench->rounds > 0 && bench->rounds <= MOST_ROUNDS;
}

int main(int argc, char **argv) {
  struct bench bench = {.rounds = 5, .modes = MODES};
  int failed = 0;
  if (!take_arguments(&bench, argc, argv)) return usage();
  snprintf(bench.report, sizeof bench.report, FOLDER "report-%ld.json", (long)getpid());
  printf("each mode: ms of processor time for one launch, million thread-instructions a second of one core;\n"
         "ratio: checked to unchecked time, the middle half of the rounds in brackets\n"
         "%-43s %14s %14s%s ratio\n",
         "", "unchecked", "checked", bench.modes == MODES ? "         --time" : "");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!bench.only || strstr(rows[i].name, bench.only)) failed |= measure(&bench, &rows[i]);
  unlink(bench.report);
  return failed;
}
