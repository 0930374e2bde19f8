// In: command lines. Out: struct run_options. One idea: options.def lists every option once; the parser, the
// help and the shells' completion are made from it.
#include "virtual-hopper/command/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/command/timing.h"
#include "virtual-hopper/time/chip.h"

enum option_id {
#define OPTION(ID, NAME, VALUE, HELP) OPTION_##ID,
#include "virtual-hopper/command/options.def"
#undef OPTION
  OPTION_COUNT
};

static const struct described {
  const char *name, *value, *help;
} described[] = {
#define OPTION(ID, NAME, VALUE, HELP) [OPTION_##ID] = {NAME, VALUE, HELP},
#include "virtual-hopper/command/options.def"
#undef OPTION
};

// ---- help -------------------------------------------------------------------------------------------------

enum { HELP_COLUMN = 28, HELP_WIDTH = 100 };

static void print_help(FILE *out, const char *text, size_t column) {
  for (; column < HELP_COLUMN; column++)
    fputc(' ', out);
  while (*text) {
    size_t word = strcspn(text, " ");
    if (column > HELP_COLUMN && column + 1 + word > HELP_WIDTH) {
      fprintf(out, "\n%*s", HELP_COLUMN, "");
      column = HELP_COLUMN;
    }
    if (column > HELP_COLUMN) fputc(' ', out), column++;
    fwrite(text, 1, word, out);
    column += word;
    text += word + (text[word] == ' ');
  }
  fputc('\n', out);
}

void options_help(FILE *out) {
  fputs("vhopper run [options] -- PROGRAM [ARGUMENTS]\n"
        "\n"
        "Runs a program built with `nvcc -cudart shared` on a virtual Hopper GPU: no GPU is needed. Its\n"
        "kernels' PTX is interpreted, and every rule of the memory model, the barriers and the bulk copies\n"
        "that they break is reported.\n"
        "\n",
        out);
  for (size_t i = 0; i < OPTION_COUNT; i++) {
    const struct described *one = &described[i];
    int used = fprintf(out, "  --%s%s%s  ", one->name, one->value ? " " : "", one->value ? one->value : "");
    print_help(out, one->help, used < 0 ? 0 : (size_t)used);
  }
  fputs("\n"
        "Options are also read from the environment: " OPTIONS_VARIABLE "='--quiet --json report.%p.json'.\n"
        "In a FILE, %p is the program's process number, %n the program's name, and %q{NAME} what the\n"
        "environment's variable NAME holds.\n"
        "\n"
        "Exit status: the program's own; 128+n if signal n ended it; 66 if it was 0 but a rule was broken;\n"
        "69 if the program needed something that the virtual Hopper hasn't got; 75 if a launch was\n"
        "stopped at the deadline, so that nothing is known about it; 2 for wrong options; 126 and 127 if\n"
        "the program can't be started.\n",
        out);
}

void options_list(FILE *out) {
  for (size_t i = 0; i < OPTION_COUNT; i++)
    fprintf(out, "--%s\n", described[i].name);
}

// ---- values -----------------------------------------------------------------------------------------------

static _Noreturn void wrong_usage(const char *what) {
  fprintf(stderr, "vhopper: %s; see vhopper run --help\n", what);
  exit(STATUS_USAGE);
}

static unsigned long long parse_number(enum option_id option, const char *text, unsigned long long most) {
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 0);
  if (errno || *end || end == text || *text == '-' || number > most) {
    fprintf(stderr, "vhopper: --%s %s: must be a whole number from 0 to %llu\n", described[option].name, text,
            most);
    exit(STATUS_USAGE);
  }
  return number;
}

static double parse_seconds(enum option_id option, const char *text) {
  char *end;
  double seconds = strtod(text, &end);
  if (*end || end == text || !(seconds >= 0 && seconds <= 1e6)) {
    fprintf(stderr, "vhopper: --%s %s: must be a number of seconds, 0 to 1000000\n", described[option].name,
            text);
    exit(STATUS_USAGE);
  }
  return seconds;
}

static enum vhopper_schedule parse_schedule(const char *text) {
  static const char *const names[SCHEDULES] = {
      [SCHEDULE_BY_SEED] = "by-seed",      [SCHEDULE_FAIR] = "fair",         [SCHEDULE_RACING] = "racing",
      [SCHEDULE_HELD_BACK] = "held-back",  [SCHEDULE_REVERSED] = "reversed", [SCHEDULE_RANDOM] = "random",
      [SCHEDULE_FIRST_LATE] = "first-late"};
  for (int i = 0; i < SCHEDULES; i++)
    if (strcmp(text, names[i]) == 0) return (enum vhopper_schedule)i;
  fprintf(
      stderr,
      "vhopper: --schedule %s: must be fair, racing, held-back, reversed, random, first-late or by-seed\n",
      text);
  exit(STATUS_USAGE);
}

static enum server_host_faults parse_api_errors(const char *text) {
  static const char *const names[] = {
      [HOST_FAULTS_IGNORED] = "ignore", [HOST_FAULTS_WARN] = "warn", [HOST_FAULTS_ERROR] = "error"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(text, names[i]) == 0) return (enum server_host_faults)i;
  fprintf(stderr, "vhopper: --api-errors %s: must be warn, error or ignore\n", text);
  exit(STATUS_USAGE);
}

char *output_name(const char *pattern, pid_t process, const char *program, const char **wrong) {
  char *name = NULL, variable[64];
  size_t size;
  FILE *out = open_memstream(&name, &size);
  const char *slash = strrchr(program, '/');
  *wrong = "no memory";
  if (!out) return NULL;
  *wrong = NULL;
  for (const char *at = pattern; !*wrong && *at; at++) {
    const char *value = "%";
    int used = 0;
    if (*at != '%') {
      fputc(*at, out);
      continue;
    }
    if (at[1] == 'p')
      fprintf(out, "%d", (int)process);
    else if (at[1] == 'n' || at[1] == '%')
      fputs(at[1] == '%' ? value : slash ? slash + 1 : program, out);
    else if (sscanf(at, "%%q{%63[A-Za-z0-9_]}%n", variable, &used) == 1 && used && getenv(variable))
      fputs(getenv(variable), out);
    else
      *wrong = at;
    at += used ? used - 1 : 1;
  }
  fclose(out);
  if (!*wrong) return name;
  free(name);
  return NULL;
}

// `--json -- program` would write a file called --, and start no program.
static const char *parse_file(enum option_id option, const char *text) {
  const char *name = described[option].name, *wrong;
  if (!*text || (*text == '-' && (text[1] || option != OPTION_JSON))) {
    fprintf(stderr, "vhopper: --%s wants a file, not `%s` (a file of that name is ./%s)\n", name, text, text);
    exit(STATUS_USAGE);
  }
  char *expanded = output_name(text, 0, "", &wrong);
  if (!expanded) {
    fprintf(stderr, "vhopper: --%s %s: `%s`: only %%p, %%n, %%%% and %%q{NAME} of a variable that is set\n",
            name, text, wrong);
    exit(STATUS_USAGE);
  }
  free(expanded);
  return text;
}

// ---- command lines ----------------------------------------------------------------------------------------

char **options_words(const char *text, int *count) {
  char *kept = malloc(strlen(text) + 2), *to = kept;
  char **words = calloc(strlen(text) / 2 + 3, sizeof *words);
  bool inside = false;
  char quote = 0;
  if (!kept || !words) exit(STATUS_BROKEN);
  *to++ = '\0';
  words[0] = kept;
  *count = 1;
  for (; *text; text++) {
    const bool blank = !quote && strchr(" \t\n", *text);
    if (!blank && !inside) words[(*count)++] = to;
    if (blank && inside) *to++ = '\0';
    inside = !blank;
    if (blank) continue;
    if (quote ? *text == quote : *text == '"' || *text == '\'')
      quote = quote ? 0 : *text;
    else
      *to++ = *text;
  }
  *to = '\0';
  if (!quote) return words;
  free(kept);
  free(words);
  return NULL;
}

// Where the name of a file to write is kept; NULL: the option takes none.
static const char **file_of(struct run_options *options, enum option_id option) {
  switch (option) {
  case OPTION_JSON: return &options->json;
  case OPTION_SARIF: return &options->sarif;
  case OPTION_JUNIT: return &options->junit;
  case OPTION_LOG_FILE: return &options->log_file;
  case OPTION_TIMELINE: return &options->timeline;
  case OPTION_TRACE: return &options->trace;
  case OPTION_WRITE_SUPPRESSIONS: return &options->write_suppressions;
  default: return NULL;
  }
}

static void take(struct run_options *options, enum option_id option, const char *value) {
  struct vhopper_options *device = &options->device;
  char wrong[600];
  switch (option) {
  case OPTION_TIME:
    if (!chip_find(value)) wrong_usage("--time must be h100 or h200");
    device->chip = value;
    device->clocks = true;
    break;
  case OPTION_QUIET: options->quiet = true; break;
  case OPTION_PRINT_LIMIT: options->print_limit = parse_number(option, value, ULLONG_MAX); break;
  case OPTION_ERROR_EXITCODE: options->error_status = (int)parse_number(option, value, 255); break;
  case OPTION_SEED: device->seed = parse_number(option, value, ULLONG_MAX); break;
  case OPTION_NO_CHECK: device->check = false; break;
  case OPTION_STRICT: device->strict = true; break;
  case OPTION_UNWRITTEN: device->unwritten = true; break;
  case OPTION_API_ERRORS: options->api_errors = parse_api_errors(value); break;
  case OPTION_LEAK_CHECK: options->leak_check = true; break;
  case OPTION_WORKERS: device->workers = (unsigned)parse_number(option, value, 1024); break;
  case OPTION_SCHEDULE: device->schedule = parse_schedule(value); break;
  case OPTION_BUDGET:
    device->launch_budget = parse_number(option, value, ULLONG_MAX);
    if (!device->launch_budget) device->launch_budget = NO_BUDGET;
    break;
  case OPTION_DEADLINE: device->launch_deadline = parse_seconds(option, value); break;
  case OPTION_SUPPRESSIONS:
    if (suppressions_read(&options->suppressions, value, wrong, sizeof wrong) == 0) break;
    fprintf(stderr, "vhopper: %s\n", wrong);
    exit(STATUS_USAGE);
  case OPTION_TIME_LIMIT: options->time_limit = parse_seconds(option, value); break;
  case OPTION_REQUIRE_KERNEL: options->require_kernel = true; break;
  case OPTION_KERNEL:
    if (*value == '-' || !*value) wrong_usage("--kernel wants a name");
    if (device->kernel_count == MOST_KERNEL_NAMES) wrong_usage("--kernel is given too often");
    device->kernels[device->kernel_count++] = value;
    break;
  case OPTION_SKIP_LAUNCHES: device->skip_launches = parse_number(option, value, ULLONG_MAX); break;
  case OPTION_LAUNCHES:
    device->judge_launches = parse_number(option, value, ULLONG_MAX - 1);
    if (!device->judge_launches) device->check = false;
    break;
  case OPTION_VERSION: puts("vhopper " VHOPPER_VERSION); exit(0);
  case OPTION_HELP: options_help(stdout); exit(0);
  default: *file_of(options, option) = parse_file(option, value);
  }
}

static void parse_words(struct run_options *options, int count, char **words) {
  enum { FIRST = 256 };
  struct option known[OPTION_COUNT + 1] = {0};
  for (int i = 0; i < OPTION_COUNT; i++)
    known[i] = (struct option){described[i].name, described[i].value ? required_argument : no_argument, NULL,
                               FIRST + i};
  optind = 0; // begins anew
  for (int option; (option = getopt_long(count, words, "+h", known, NULL)) != -1;) {
    if (option != 'h' && option < FIRST) wrong_usage("wrong option");
    take(options, option == 'h' ? OPTION_HELP : (enum option_id)(option - FIRST), optarg);
  }
}

struct run_options options_parse(int count, char **arguments) {
  struct run_options options = {.device = {.check = true, .foreign_words = true},
                                .error_status = NO_ERROR_STATUS,
                                .print_limit = PRINT_LIMIT,
                                .api_errors = HOST_FAULTS_WARN};
  const char *environment = getenv(OPTIONS_VARIABLE);
  if (environment) {
    int words_count;
    char **words = options_words(environment, &words_count);
    if (!words) wrong_usage(OPTIONS_VARIABLE " leaves a quote open");
    words[0] = arguments[0];
    parse_words(&options, words_count, words);
    if (optind < words_count) wrong_usage(OPTIONS_VARIABLE " holds a word that is no option");
  }
  parse_words(&options, count, arguments);
  if (optind >= count) wrong_usage("no program is given");
  options.program = arguments + optind;
  options.device.timeline = options.timeline;
  if (options.timeline && !options.device.chip) wrong_usage("--timeline wants --time, too");
  const bool to_stdout = options.timeline && strcmp(options.timeline, "-") == 0;
  if (options.timeline && !to_stdout && !timing_names_timeline(options.timeline))
    wrong_usage("--timeline FILE.svg writes a picture, --timeline FILE.json a trace");
  return options;
}
