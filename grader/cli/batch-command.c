// batch: grades a class. In: an export of submissions. Out: the folder OUT with a result, a page and a log
// per student, grades.csv and report.html. The idea: an earlier result is kept while nothing that it depends
// on has changed, so the same command starts, resumes and regrades.
#include "class/class.h"
#include "class/collect.h"
#include "class/history.h"
#include "class/marks.h"
#include "class/names.h"
#include "class/sheet.h"
#include "class/unpack.h"
#include "cli/commands.h"
#include "referee/grade.h"
#include "referee/known-cases.h"
#include "report/whole-file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_to_be_graded_anew(const struct arguments *arguments, const char *submission) {
  const char *slash = strrchr(submission, '/'), *name = slash ? slash + 1 : submission;
  for (size_t i = 0; i < arguments->anew_count; i++)
    if (strcmp(arguments->anew[i], name) == 0) return true;
  return false;
}

static int grade_one(void *context, const char *submission, const struct lab_record *known,
                     struct lab_record *lab, char *error, size_t size) {
  struct arguments one = *(const struct arguments *)context;
  one.known = known;
  if (is_to_be_graded_anew(&one, submission)) one.alike = NULL;
  one.submission = submission;
  one.collected = true;
  one.output = NULL;
  return grade_submission(&one, true, lab) == 0 ? 0
                                                : class_fail(error, size, "not graded: the reason is above");
}

static int shown(const struct dirent *entry) {
  return entry->d_name[0] != '.' && strcmp(entry->d_name, "__MACOSX") != 0;
}

// Many exports hold a single folder with everything in it: this enters that folder. A folder with a single
// student's work looks the same; an export is recognised by file names that a platform has given, or, in an
// archive, by several submissions.
static void enter_only_folder(char path[PATH_MAX], bool archive) {
  struct dirent **entries;
  struct roster inner;
  struct stat status;
  char below[PATH_MAX] = "", error[400];
  int count = scandir(path, &entries, shown, alphasort);
  if (count == 1 && snprintf(below, sizeof below, "%s/%s", path, entries[0]->d_name) >= (int)sizeof below)
    below[0] = '\0';
  for (int i = 0; i < count; i++)
    free(entries[i]);
  if (count >= 0) free(entries);
  if (!below[0] || lstat(below, &status) != 0 || !S_ISDIR(status.st_mode)) return;
  bool many = roster_read(below, &inner, error, sizeof error) == 0 &&
              (strcmp(inner.platform, "folders") != 0 || (archive && inner.count > 1));
  roster_free(&inner);
  if (many) memcpy(path, below, sizeof below);
}

// Half a class is not graded: who is left out would go unnoticed.
static void complain_of_export(const char *path, const struct unpack_report *report) {
  if (!report->reached[0]) {
    complain("%s %s", path, report->wrong);
    return;
  }
  complain(
      "%s %s (reached at `%s`).\n  Nothing is graded, so that nobody is left out unseen. Unpack it, take "
      "away what is too much,\n  and name the folder instead of the archive.",
      path, report->wrong, report->reached);
}

// Finds the folder of submissions: the given one, or what is unpacked from a platform's archive. 0, or -1
// after a message.
static int find_export(const struct arguments *arguments, const struct class *class, char path[PATH_MAX]) {
  static const struct unpack_limits limits = {.entries = 200000,
                                              .bytes = (size_t)4 << 30,
                                              .file_bytes = (size_t)256 << 20,
                                              .depth = 32,
                                              .seconds = 600};
  struct stat status;
  char error[400] = "", left_out[UNPACK_TEXT];
  struct unpack_report report;
  if (!arguments->share && stat(arguments->submissions, &status) != 0) {
    complain("%s: %s", arguments->submissions, strerror(errno));
    return -1;
  }
  if (arguments->share) {
    class_path(class, path, "", "submissions", "");
    return 0;
  }
  bool archive = !S_ISDIR(status.st_mode);
  if (!archive) {
    snprintf(path, PATH_MAX, "%.4000s", arguments->submissions);
  } else {
    class_path(class, path, "", "export", "");
    remove_tree(path);
    if (mkdir(path, 0700) != 0) {
      complain("%s: %s", path, strerror(errno));
      return -1;
    }
    if (unpack(arguments->submissions, path, &limits, class->grading->sandbox, &report, error,
               sizeof error) != 0) {
      complain("%s", error);
      return -1;
    }
    if (report.wrong[0]) {
      complain_of_export(arguments->submissions, &report);
      return -1;
    }
    unpack_describe(&report, left_out);
    if (left_out[0]) fprintf(stderr, "grader: %s: %s\n", arguments->submissions, left_out);
  }
  enter_only_folder(path, archive);
  return 0;
}

// A task on a cluster has the cores that Slurm gave it, not all of the node's.
static unsigned cores_here(bool task) {
  const char *dealt = task ? getenv("SLURM_CPUS_ON_NODE") : NULL;
  long cores = dealt ? strtol(dealt, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
  return cores < 1 ? 1 : cores > 4096 ? 4096 : (unsigned)cores;
}

static void share_machine(struct arguments *arguments, struct class *class) {
  unsigned cores = cores_here(arguments->share != NULL);
  class->jobs = arguments->jobs;
  if (!class->jobs && !arguments->slurm) class->jobs = cores; // Slurm's tasks decide on their own nodes
  arguments->jobs = 1; // a submission's exercises run one after another
  arguments->cores = class->jobs && cores / class->jobs ? cores / class->jobs : 1;
}

static int write_all(struct class *class, bool board) {
  char error[700] = "";
  int status = 0;
  for (size_t i = 0; i < class->roster.count && status == 0; i++)
    if (class->outcomes[i].known) status = feedback_save(class, i, error, sizeof error);
  if (status == 0) status = names_retire_pages(class, error, sizeof error);
  if (status == 0) status = history_compare(class, error, sizeof error);
  if (status == 0) status = grades_save(class, error, sizeof error);
  if (status == 0) status = page_save(class, error, sizeof error);
  if (status == 0 && board) status = board_save(class, error, sizeof error);
  if (status == 0) status = history_save(class, error, sizeof error);
  if (status == 0) return 0;
  return complain(
      "%s\n  What is graded stays in %s/results: once it can be written, the same command writes the rest.",
      error, class->output);
}

// ---- a platform's own sheet ----

struct filled_sheet {
  const struct class *class;
  struct sheet_options options;
  char *error;
  size_t size;
};

static int write_sheet(FILE *out, const void *what) {
  const struct filled_sheet *sheet = what;
  return sheet_fill(&sheet->options, sheet->class, out, stdout, sheet->error, sheet->size);
}

static int fill_sheet(const struct arguments *arguments, const struct class *class) {
  char path[PATH_MAX], error[700] = "";
  if (!arguments->sheet) return 0;
  struct filled_sheet sheet = {
      .class = class, .options = {arguments->sheet, arguments->column}, .error = error, .size = sizeof error};
  class_path(class, path, "", "sheet", ".csv");
  printf("%s, filled in as %s:\n", arguments->sheet, path);
  if (whole_file_write(path, false, write_sheet, &sheet) == 0) return 0;
  return complain("%s: %s", path, error[0] ? error : strerror(errno));
}

// Notes may have been printed hundreds of lines above, or only stand in tables, so they are counted at the
// end.
static void count_notes(const struct class *class) {
  size_t submissions = 0, all = 0;
  for (size_t i = 0; i < class->roster.count; i++)
    submissions += class->outcomes[i].notes[0] != '\0';
  for (const char *c = class->roster.notes; c && *c; c++)
    all += *c == '\n';
  if (submissions || all)
    printf("Notes on what was handed in: %zu on single submissions, %zu on the whole; they are in "
           "report.html.\n",
           submissions, all);
}

// Whose archives are damaged: what they wrote is not known, so nothing is graded.
static void tell_asked(const struct class *class) {
  enum { PRINTED = 20 };
  size_t count = 0;
  char line[OUTCOME_LINE];
  for (size_t i = 0; i < class->roster.count; i++) {
    if (!class->outcomes[i].ask || count++ >= PRINTED) continue;
    printf("Ask %s to hand in again: %s\n", class->roster.students[i].name,
           outcome_notes(&class->outcomes[i], line));
  }
}

static int conclude(const struct class *class) {
  size_t passed = 0, errors = 0, kept = 0, asked = 0, count = class->roster.count;
  for (size_t i = 0; i < count; i++) {
    const struct outcome *outcome = &class->outcomes[i];
    enum verdict verdict = outcome->known ? lab_verdict(&outcome->lab) : VERDICT_ERROR;
    passed += verdict == VERDICT_PASS;
    asked += outcome->ask;
    errors += verdict == VERDICT_ERROR && !outcome->ask;
    kept += outcome->kept;
  }
  printf("%zu submission%s: %zu passed, %zu fell short, %zu with grader errors", count, count == 1 ? "" : "s",
         passed, count - passed - errors - asked, errors);
  if (asked) printf(", %zu to be asked to hand in again", asked);
  if (kept) printf(" (%zu unchanged since they were graded)", kept);
  printf("\n%s/grades.csv  %s/report.html  %s/feedback/\n", class->output, class->output, class->output);
  tell_asked(class);
  count_notes(class);
  if (errors) puts("What ended with a grader error is tried again by the same command.");
  return errors ? STATUS_ERROR : passed == count ? STATUS_PASSED : STATUS_FELL_SHORT;
}

// Makes the command of a task on a node: the same batch, with absolute paths and the seed that was drawn.
static int grade_on_slurm(const struct arguments *arguments, struct class *class) {
  char lab[2 * RECORD_NAME + 2], program[PATH_MAX], submissions[PATH_MAX], output[PATH_MAX], seed[24],
      deadline[16], build_deadline[16], jobs[16];
  if (!realpath(arguments->submissions, submissions) || !realpath(class->output, output))
    return complain("--slurm: %s", strerror(errno));
  kit_path(&class->grading->kit, program, "build/bin/grader");
  snprintf(lab, sizeof lab, "%s%s%s", arguments->lab, arguments->exercise ? "/" : "",
           arguments->exercise ? arguments->exercise : "");
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)class->seed);
  snprintf(deadline, sizeof deadline, "%u", arguments->deadline);
  snprintf(build_deadline, sizeof build_deadline, "%u", arguments->build_deadline);
  snprintf(jobs, sizeof jobs, "%u", class->jobs);
  char *command[] = {program,
                     "batch",
                     lab,
                     submissions,
                     "--out",
                     output,
                     "--device",
                     (char *)arguments->device,
                     "--seed",
                     seed,
                     "--deadline",
                     deadline,
                     "--build-deadline",
                     build_deadline,
                     NULL,
                     NULL,
                     NULL,
                     NULL,
                     NULL};
  char **more = command + sizeof command / sizeof *command - 5;
  if (class->jobs) *more++ = "--jobs", *more++ = jobs;
  if (arguments->trusted) *more++ = "--trusted";
  if (arguments->each) *more++ = "--each";
  struct slurm_options options = {.chunk = arguments->chunk, .arguments = arguments->sbatch};
  char error[700];
  int status = slurm_grade(class, &options, command, error, sizeof error);
  if (status != 0) complain("%s: what is graded stays; the same command goes on", error);
  // The tasks know the submissions' folders but not the students, so results are saved again with the
  // students' names.
  for (size_t i = 0; i < class->roster.count; i++) {
    bool saved = !class->outcomes[i].known || class->outcomes[i].kept ||
                 result_save(class, i, error, sizeof error) == 0;
    if (!saved) return complain("%s", error);
  }
  return status == 0 ? 0 : STATUS_ERROR;
}

// Without a folder for verdicts of the same code everybody's is found out; without memory for large cases
// each grading makes its own.
static int grade_all(struct class *class, size_t first, size_t last, char *error, size_t size) {
  struct arguments *arguments = class->context;
  char alike[PATH_MAX];
  arguments->alike = !class->each && sandbox_make_scratch(alike, sizeof alike) == 0 ? alike : NULL;
  arguments->known_cases = known_cases_open(0);
  const int status = class_grade(class, first, last, error, size);
  known_cases_close(arguments->known_cases);
  arguments->known_cases = NULL;
  if (arguments->alike) sandbox_remove_scratch(alike);
  arguments->alike = NULL;
  return status;
}

static int grade_share(struct class *class, const char *share) {
  size_t first, last;
  if (sscanf(share, "%zu-%zu", &first, &last) != 2 || first > last)
    return complain("--share %s: must be FIRST-LAST", share);
  char error[700];
  if (last > class->roster.count) last = class->roster.count;
  if (first >= last || grade_all(class, first, last, error, sizeof error) == 0) return STATUS_PASSED;
  return complain("%s", error);
}

static int grade_class(struct arguments *arguments, struct class *class) {
  char changed[300], error[700];
  size_t known = 0;
  for (size_t i = 0; i < class->roster.count; i++)
    known += class->outcomes[i].known;
  if (arguments->share) return grade_share(class, arguments->share);
  if (known) printf("%zu of %zu are graded already and have not changed\n", known, class->roster.count);
  if (class->rescored)
    printf(
        "lab.cfg gives other points than before: %zu of them are scored by it, without being graded again\n",
        class->rescored);
  if (class->basis_before && basis_difference(class->basis_before, class->basis, changed, sizeof changed)[0])
    printf("changed since the last run, so %s: %s\n",
           arguments->only_count ? "what --only names is graded anew, and the others will be next time"
                                 : "what was graded before is graded anew",
           changed);
  if (class->roster.notes) fprintf(stderr, "%s", class->roster.notes);
  int status = arguments->slurm ? grade_on_slurm(arguments, class) : 0;
  bool stopped = !arguments->slurm && grade_all(class, 0, class->roster.count, error, sizeof error) != 0;
  // Also after a stop, so that the results so far can be read.
  int written = write_all(class, arguments->board);
  if (!written) written = fill_sheet(arguments, class);
  if (stopped)
    return complain("%s: what is graded stays in %s; the same command goes on", error, class->output);
  return status ? status : written ? written : conclude(class);
}

// Removes slashes from the folder's end, since messages show paths below it.
static void plain_folder(const char *given, char folder[PATH_MAX]) {
  size_t length = strlen(given);
  while (length > 1 && given[length - 1] == '/')
    length--;
  snprintf(folder, PATH_MAX, "%.*s", (int)(length < PATH_MAX ? length : PATH_MAX - 1), given);
}

static int open_class(struct arguments *arguments, struct class *class, char *error, size_t size) {
  char submissions[PATH_MAX];
  if (grades_check_columns(class->columns, error, size) != 0) return -1;
  if (class_open(class, arguments->submissions, arguments->seed_given, error, size) != 0) return -1;
  error[0] = '\0';
  struct sheet_options sheet = {arguments->sheet, arguments->column};
  if (sheet.path && sheet_check(&sheet, class, error, size) != 0) return -1;
  if (find_export(arguments, class, submissions) != 0) return -1;
  if (roster_read(submissions, &class->roster, error, size) != 0) {
    if (class->roster.notes) fputs(class->roster.notes, stderr);
    return -1;
  }
  if (names_keep(class, error, size) != 0 || class_collect(class, error, size) != 0) return -1;
  if (class->share) return 0;
  history_read(class);
  return overrides_read(class, error, size);
}

static int run_batch(void *context) {
  struct arguments *arguments = context;
  char error[700] = "", output[PATH_MAX];
  plain_folder(arguments->output, output);
  struct history history = {0};
  struct grading *grading = calloc(1, sizeof *grading);
  if (!grading) return complain("out of memory");
  *grading = (struct grading){
      .gpu_lock = -1, .host_deadline = arguments->deadline, .build_deadline = arguments->build_deadline};
  struct class class = {.grading = grading,
                        .output = output,
                        .seed = arguments->seed,
                        .grade = grade_one,
                        .context = arguments,
                        .each = arguments->each,
                        .share = arguments->share != NULL,
                        .history = &history,
                        .only = arguments->only,
                        .only_count = arguments->only_count,
                        .anew = arguments->anew,
                        .anew_count = arguments->anew_count,
                        .columns = arguments->columns ? arguments->columns : default_columns};
  int status = STATUS_ERROR;
  if (grading_set_up(grading, arguments->lab, arguments->exercise, arguments->device, error, sizeof error) ==
          0 &&
      open_class(arguments, &class, error, sizeof error) == 0) {
    arguments->seed = class.seed;
    share_machine(arguments, &class);
    if (grading->sandbox != SANDBOX_NAMESPACES && !arguments->trusted && !arguments->slurm)
      complain(
          "%s\n  Strangers' programs are not run without walls; grader doctor tells more. If you trust them "
          "all: --trusted.",
          grading->missing_walls);
    else
      status = grade_class(arguments, &class);
  } else if (error[0]) {
    complain("%s", error);
  }
  class_close(&class);
  grading_tear_down(grading);
  free(grading);
  return status;
}

int command_batch(int count, char **given) {
  struct arguments arguments;
  if (arguments_read("batch", TAKES_SUBMISSIONS, count, given, &arguments) != 0) return STATUS_ERROR;
  if (!arguments.submissions || !arguments.output)
    return complain("batch: usage: grader batch LAB SUBMISSIONS --out DIR [--jobs N]");
  if (!arguments.slurm && (arguments.chunk || arguments.sbatch))
    return complain("%s is of --slurm alone", arguments.chunk ? "--chunk" : "--sbatch");
  if (!arguments.sheet && arguments.column)
    return complain("--column is the heading in a --sheet: name that as well");
  if (arguments.only_count && (arguments.slurm || arguments.seed_given))
    return complain("--only goes without %s", arguments.slurm ? "--slurm" : "--seed: a class has one seed");
  if (!arguments.watch) return run_batch(&arguments);
  if (arguments.slurm) return complain("--watch goes without --slurm");
  return batch_watch(arguments.submissions, run_batch, &arguments);
}
