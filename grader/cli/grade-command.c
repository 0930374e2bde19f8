// check and grade: one submission. In: arguments. Out: the report in the wanted format, and the exit status
// of docs/reference/grader.1.md.
#include "class/collect.h"
#include "cli/commands.h"
#include "cli/verdict-cache.h"
#include "referee/grade.h"
#include "report/progress.h"
#include "report/whole-file.h"
#include "virtual-hopper/rules/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

static void watch(void *context, const char *line) {
  progress_show(context, line);
}

struct report {
  const struct lab_record *lab;
  int (*write)(FILE *out, const struct lab_record *lab);
};

static int write_text(FILE *out, const void *what) {
  const struct report *report = what;
  return report->write(out, report->lab);
}

static int write_report(const char *path, const struct lab_record *lab,
                        int (*write)(FILE *out, const struct lab_record *lab)) {
  if (whole_file_write(path, true, write_text, &(struct report){lab, write}) == 0) return 0;
  return complain("%s cannot be written: %s", path, strerror(errno));
}

// How many of the requested exercises lie in the folder under their own names; `wanted` gets how many are
// requested.
static unsigned count_exercises(const struct grading *grading, const char *folder, unsigned *wanted) {
  char path[PATH_MAX + RECORD_NAME + 8];
  unsigned count = 0;
  *wanted = 0;
  for (unsigned i = 0; i < grading->config.exercise_count; i++) {
    const char *name = grading->config.exercises[i].name;
    if (grading->only[0] && strcmp(grading->only, name) != 0) continue;
    snprintf(path, sizeof path, "%s/%s.cu", folder, name);
    count += access(path, F_OK) == 0;
    ++*wanted;
  }
  return count;
}

// For an archive, or a folder in which exercises are missing, as a platform gives it to an autograder. Looks
// for exercises as a batch does: in archives, in folders and under other names. It copies them into a scratch
// folder, which becomes the submission if it holds more exercises than the given folder.
static int take_out(struct grading *grading, bool folder, char scratch[PATH_MAX]) {
  struct student student = {.sources = {grading->submission}, .source_count = 1};
  char notes[2048], taken[PATH_MAX], error[PATH_MAX];
  if (sandbox_make_scratch(scratch, PATH_MAX) != 0) {
    scratch[0] = '\0';
    return complain("no scratch directory can be made: %s", strerror(errno));
  }
  snprintf(taken, sizeof taken, "%.*s/%s", PATH_MAX - RECORD_NAME - 2, scratch, grading->config.lab);
  if (collect(&student, &grading->config, grading->only, grading->sandbox, taken, notes, sizeof notes, error,
              sizeof error) < 0)
    return complain("%s", error);
  fprintf(stderr, "%s", notes);
  unsigned wanted;
  if (!folder ||
      count_exercises(grading, taken, &wanted) > count_exercises(grading, grading->submission, &wanted)) {
    memcpy(grading->taken_from, grading->submission, sizeof grading->taken_from);
    memcpy(grading->submission, taken, sizeof taken);
  }
  return 0;
}

static int find_submission(const struct arguments *arguments, bool of_stranger, struct grading *grading,
                           char scratch[PATH_MAX]) {
  char own[PATH_MAX];
  struct stat status;
  const char *given = arguments->submission;
  if (!given) given = kit_path(&grading->kit, own, "labs/%s", arguments->lab);
  if (!realpath(given, grading->submission)) return complain("--submission %s: %s", given, strerror(errno));
  bool folder = stat(grading->submission, &status) == 0 && S_ISDIR(status.st_mode);
  unsigned wanted;
  if (folder && (!of_stranger || arguments->collected ||
                 count_exercises(grading, grading->submission, &wanted) == wanted))
    return 0;
  if (of_stranger && (folder || roster_is_archive(given, NULL, 0))) return take_out(grading, folder, scratch);
  return complain("--submission %s: must be a folder of the same shape as labs/%s%s", given, arguments->lab,
                  of_stranger ? ", or an archive of one" : "");
}

static void share_cores(const struct arguments *arguments, struct grading *grading) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores < 1) cores = 1;
  if (arguments->cores) cores = (long)arguments->cores;
  unsigned exercises = grading->only[0] ? 1 : grading->config.exercise_count;
  unsigned jobs = arguments->jobs ? arguments->jobs : (unsigned)cores;
  grading->jobs = jobs < exercises ? jobs : exercises;
  grading->workers = (unsigned)cores / grading->jobs ? (unsigned)cores / grading->jobs : 1;
}

// Puts records that need not be made again into one that grade_begin has made.
static void take_known(const struct grading *grading, const struct lab_record *known,
                       struct lab_record *lab) {
  for (size_t i = 0; known && i < known->exercise_count; i++)
    for (size_t j = 0; j < lab->exercise_count; j++) {
      struct exercise_record *place = &lab->exercises[j], record;
      if (strcmp(known->exercises[i].name, place->name) != 0) continue;
      json_t *json = exercise_record_json(&known->exercises[i]);
      if (exercise_record_from_json(json, &record)) {
        exercise_record_free(place);
        *place = record;
        place->unchanged = true;
        lab_config_score(&grading->config, place);
      }
      json_decref(json);
    }
}

int grade_submission(const struct arguments *arguments, bool hidden_cases, struct lab_record *lab) {
  char error[600], scratch[PATH_MAX] = "";
  struct grading *grading = calloc(1, sizeof *grading);
  if (!grading) return complain("out of memory");
  *grading = (struct grading){.hidden_cases = hidden_cases,
                              .first_failure = arguments->first_failure,
                              .seed = arguments->seed,
                              .build_deadline = arguments->build_deadline,
                              .host_deadline = arguments->deadline,
                              .launch_deadline = arguments->deadline,
                              .gpu_lock = -1};
  struct verdict_cache cache = {0};
  struct progress_display display = progress_open();
  progress_show(&display, "looking at this machine");
  int status =
      grading_set_up(grading, arguments->lab, arguments->exercise, arguments->device, error, sizeof error);
  if (status != 0) {
    progress_clear(&display);
    status = complain("%s", error);
  } else if (grading->sandbox != SANDBOX_NAMESPACES && !arguments->trusted) {
    progress_clear(&display);
    status = complain("this machine can't keep a stranger's program behind walls, so none is run.\n  %s\n"
                      "  grader doctor tells more. If the code is your own, or you trust it: add --trusted.",
                      grading->missing_walls);
  } else {
    progress_clear(&display);
    status = find_submission(arguments, hidden_cases, grading, scratch);
  }
  if (status == 0) {
    share_cores(arguments, grading);
    if (arguments->collected) snprintf(grading->called, sizeof grading->called, GRADING_NOBODYS);
    snprintf(grading->alike, sizeof grading->alike, "%s", arguments->alike ? arguments->alike : "");
    grading->known_cases = arguments->known_cases;
    grade_begin(grading, lab);
    // Before anything runs, the result says "error": a grader that is killed leaves that.
    if (arguments->output) status = write_report(arguments->output, lab, arguments->format->write);
    const bool cached = !hidden_cases && !arguments->seed_given; // whoever gives a seed wants a new run
    if (cached) verdict_cache_take(grading, lab, &cache);
    take_known(grading, arguments->known, lab);
    if (status == 0 && grade_run(grading, lab, watch, &display) != 0) status = complain("stopped");
    for (size_t i = 0; arguments->known && i < lab->exercise_count; i++)
      lab->exercises[i].unchanged = false; // a report is that of any other submission
    if (grading->taken_from[0]) grade_strip_places(lab, grading->submission);
    if (cached && status == 0) verdict_cache_keep(grading, lab, &cache);
  }
  progress_clear(&display);
  if (scratch[0]) sandbox_remove_scratch(scratch);
  grading_tear_down(grading);
  free(grading);
  return status;
}

unsigned terminal_columns(void) {
  struct winsize window = {0};
  return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
}

static struct text_style terminal_style(void) {
  return (struct text_style){
      .colour = fault_colours(STDOUT_FILENO), .hint_prefix = "make hint-", .width = terminal_columns()};
}

static int report(const struct arguments *arguments, const struct lab_record *lab) {
  struct text_style style = terminal_style();
  const struct output_format *format = arguments->format;
  if (arguments->output) return write_report(arguments->output, lab, format->write);
  int status =
      format->write == report_plain_text ? report_text(stdout, lab, &style) : format->write(stdout, lab);
  return status == 0 ? 0 : complain("the report cannot be written: %s", strerror(errno));
}

// Warns, and grades all the same: the report can still be read.
static void warn_of_missing_variable(const struct arguments *arguments) {
  const char *missing = arguments->format->missing ? arguments->format->missing() : NULL;
  if (missing)
    complain("%s is not set: the platform refuses a %s report that its workflow had no part in", missing,
             arguments->format->name);
}

static int write_picture(FILE *out, const void *what) {
  return fputs(what, out) < 0 || fputc('\n', out) < 0 ? -1 : 0;
}

// For people: beside the report; without one, where make check looks: build/timeline. Programs that read
// reports find it in the JSON, and no file that they don't know. A picture that can't be written is
// none: the words say the same.
static void write_pictures(const struct arguments *arguments, struct lab_record *lab) {
  struct kit kit;
  char error[600], folder[PATH_MAX], path[PATH_MAX];
  if (arguments->format->write != report_plain_text) return;
  if (!arguments->output && kit_find(&kit, error, sizeof error) != 0) return;
  for (size_t i = 0; i < lab->exercise_count; i++) {
    struct stage_record *stage = &lab->exercises[i].stages[STAGE_BANDWIDTH];
    if (!stage->picture) continue;
    int length;
    if (arguments->output) {
      length = snprintf(path, sizeof path, "%s.%s.svg", arguments->output, lab->exercises[i].name);
    } else {
      kit_path(&kit, folder, "build/timeline");
      mkdir(folder, 0777);
      length = snprintf(path, sizeof path, "%.3000s/%s-%s.svg", folder, lab->lab, lab->exercises[i].name);
    }
    if (length >= (int)sizeof path || whole_file_write(path, true, write_picture, stage->picture) != 0)
      continue;
    char *detail = NULL, here[PATH_MAX] = "";
    const size_t root = getcwd(here, sizeof here) ? strlen(here) : 0;
    const bool below = root > 1 && strncmp(path, here, root) == 0 && path[root] == '/';
    if (asprintf(&detail, "%s\nA picture of it: %s\n", stage->detail ? stage->detail : "",
                 below ? path + root + 1 : path) < 0)
      continue;
    free(stage->detail);
    stage->detail = detail;
  }
}

static int run(const char *command, unsigned takes, bool hidden_cases, int count, char **given) {
  struct arguments arguments;
  struct lab_record lab = {0};
  if (arguments_read(command, takes, count, given, &arguments) != 0) return STATUS_ERROR;
  // check runs a student's own code on their own machine.
  if (!hidden_cases) arguments.trusted = true;
  if (hidden_cases) warn_of_missing_variable(&arguments);
  int status = grade_submission(&arguments, hidden_cases, &lab);
  if (status == 0 && arguments.format->reader == STUDENTS) lab_record_hide(&lab);
  if (status == 0) write_pictures(&arguments, &lab);
  if (status == 0) status = report(&arguments, &lab);
  if (status == 0) status = lab_exit_status(&lab);
  lab_record_free(&lab);
  return status;
}

int command_check(int count, char **arguments) {
  return run("check", 0, false, count, arguments);
}
int command_grade(int count, char **arguments) {
  return run("grade", TAKES_FORMAT, true, count, arguments);
}
