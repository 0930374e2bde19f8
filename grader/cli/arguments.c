// In: words from the command line. Out: struct arguments, or a message that names the word and what is
// allowed.
#include "cli/commands.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

int complain(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fputs("grader: ", stderr);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  return STATUS_ERROR;
}

static int read_number(const char *option, const char *text, uint64_t highest, uint64_t *number) {
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && !*end && errno == 0 && *number <= highest) return 0;
  complain("%s %s: must be a whole number from 0 to %llu", option, text, (unsigned long long)highest);
  return -1;
}

static int read_choice(const char *option, const char *text, const char *const *choices) {
  char list[128] = "";
  for (const char *const *choice = choices; *choice; choice++) {
    if (strcmp(text, *choice) == 0) return 0;
    size_t length = strlen(list);
    snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", *choice);
  }
  complain("%s %s: must be one of %s", option, text, list);
  return -1;
}

static int read_format(const char *option, const char *text, struct arguments *arguments) {
  char names[400];
  arguments->format = output_format_find(text);
  if (arguments->format) return 0;
  complain("%s %s: must be one of %s", option, text, output_format_names(", ", names, sizeof names));
  return -1;
}

static int read_name(const char *option, const char *name, const char *list[MOST_NAMED], size_t *count) {
  if (*count == MOST_NAMED) {
    complain("%s: at most %d can be named", option, MOST_NAMED);
    return -1;
  }
  list[(*count)++] = name;
  return 0;
}

static int read_option(const char *command, unsigned takes, const char *option, const char *value,
                       struct arguments *arguments) {
  static const char *const devices[] = {"auto", "gpu", "virtual", NULL};
  uint64_t number;
  if ((takes & TAKES_SUBMISSIONS) && strcmp(option, "--columns") == 0) {
    arguments->columns = value;
  } else if ((takes & TAKES_SUBMISSIONS) && strcmp(option, "--sheet") == 0) {
    arguments->sheet = value;
  } else if ((takes & TAKES_SUBMISSIONS) && strcmp(option, "--column") == 0) {
    arguments->column = value;
  } else if ((takes & TAKES_SUBMISSIONS) && strcmp(option, "--only") == 0) {
    return read_name(option, value, arguments->only, &arguments->only_count);
  } else if ((takes & TAKES_SUBMISSIONS) && strcmp(option, "--regrade") == 0) {
    return read_name(option, value, arguments->anew, &arguments->anew_count);
  } else if ((takes & TAKES_SUBMISSIONS) && strcmp(option, "--sbatch") == 0) {
    arguments->sbatch = value;
  } else if ((takes & TAKES_SUBMISSIONS) && strcmp(option, "--share") == 0) {
    arguments->share = value;
  } else if ((takes & TAKES_SUBMISSIONS) && strcmp(option, "--chunk") == 0) {
    if (read_number(option, value, 10000, &number) != 0) return -1;
    arguments->chunk = (unsigned)number;
  } else if (strcmp(option, "--submission") == 0 && !(takes & TAKES_SUBMISSIONS)) {
    arguments->submission = value;
  } else if (strcmp(option, "--device") == 0) {
    arguments->device = value;
    return read_choice(option, value, devices);
  } else if (strcmp(option, "--seed") == 0) {
    arguments->seed_given = true;
    return read_number(option, value, UINT64_MAX, &arguments->seed);
  } else if (strcmp(option, "--jobs") == 0) {
    if (read_number(option, value, 1024, &number) != 0) return -1;
    arguments->jobs = (unsigned)number;
  } else if (strcmp(option, "--deadline") == 0) {
    if (read_number(option, value, 3600, &number) != 0) return -1;
    arguments->deadline = number ? (unsigned)number : 1;
  } else if (strcmp(option, "--build-deadline") == 0) {
    if (read_number(option, value, 3600, &number) != 0) return -1;
    arguments->build_deadline = number ? (unsigned)number : 1;
  } else if (strcmp(option, "--mutants") == 0 && (takes & TAKES_MUTANTS)) {
    if (read_number(option, value, 100000, &number) != 0) return -1;
    arguments->mutants = (unsigned)number;
  } else if (strcmp(option, "--format") == 0 && (takes & TAKES_FORMAT)) {
    return read_format(option, value, arguments);
  } else if ((strcmp(option, "-o") == 0 && (takes & TAKES_FORMAT)) ||
             (strcmp(option, "--out") == 0 && (takes & TAKES_SUBMISSIONS))) {
    arguments->output = value;
  } else {
    complain("%s has no option %s; grader --help lists them", command, option);
    return -1;
  }
  return 0;
}

static int read_lab(const char *text, struct arguments *arguments) {
  const char *slash = strchr(text, '/');
  size_t length = slash ? (size_t)(slash - text) : strlen(text);
  if (length == 0 || length >= sizeof arguments->lab || (slash && !slash[1])) {
    complain("`%s` is no LAB or LAB/EXERCISE: LAB is a folder of labs/, EXERCISE a number or a name", text);
    return -1;
  }
  snprintf(arguments->lab, sizeof arguments->lab, "%.*s", (int)length, text);
  arguments->exercise = slash ? slash + 1 : NULL;
  return 0;
}

static int read_word(const char *command, unsigned takes, const char *word, struct arguments *arguments) {
  if (!arguments->lab[0]) return read_lab(word, arguments);
  if ((takes & TAKES_SUBMISSIONS) && !arguments->submissions) {
    arguments->submissions = word;
    return 0;
  }
  complain("%s: `%s` is one word too many", command, word);
  return -1;
}

int arguments_read(const char *command, unsigned takes, int count, char **given,
                   struct arguments *arguments) {
  *arguments = (struct arguments){.device = "auto",
                                  .format = output_format_find("text"),
                                  .deadline = 10,
                                  .build_deadline = 90,
                                  .mutants = USUAL_MUTANTS};
  // A mutant that hangs or crawls is found out sooner; solutions take a tenth of this.
  if (takes & TAKES_MUTANTS) arguments->deadline = 3;
  uint32_t drawn;
  // 32 bits are enough to vary and short enough to be typed again.
  if (getrandom(&drawn, sizeof drawn, 0) != (ssize_t)sizeof drawn) {
    complain("no random number can be drawn: %s", strerror(errno));
    return -1;
  }
  arguments->seed = drawn;
  for (int i = 0; i < count; i++) {
    if (given[i][0] != '-') {
      if (read_word(command, takes, given[i], arguments) != 0) return -1;
      continue;
    }
    if (strcmp(given[i], "--slurm") == 0 && (takes & TAKES_SUBMISSIONS)) {
      arguments->slurm = true;
      continue;
    }
    if (strcmp(given[i], "--watch") == 0 && (takes & TAKES_SUBMISSIONS)) {
      arguments->watch = true;
      continue;
    }
    if (strcmp(given[i], "--board") == 0 && (takes & TAKES_SUBMISSIONS)) {
      arguments->board = true;
      continue;
    }
    if (strcmp(given[i], "--each") == 0 && (takes & TAKES_SUBMISSIONS)) {
      arguments->each = true;
      continue;
    }
    if (strcmp(given[i], "--trusted") == 0) {
      arguments->trusted = true;
      continue;
    }
    if (i + 1 == count) {
      complain("%s %s: a value must follow an option; grader --help lists them", command, given[i]);
      return -1;
    }
    if (read_option(command, takes, given[i], given[i + 1], arguments) != 0) return -1;
    i++;
  }
  if (arguments->lab[0]) return 0;
  complain("%s: which lab? Type: grader %s LAB, where LAB is a folder of labs/", command, command);
  return -1;
}
