// batch: a class. In: a folder of submissions. Out: NAME.json and NAME.txt for each, and grades.csv. The idea: one after another,
// each written as soon as it is known, so that an interruption loses at most one.
#include "cli/commands.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_submission(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static int make_folder(const char *path) {
  struct stat status;
  if (mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)))
    return 0;
  return complain("--out %s: %s", path, strerror(errno));
}

// A name that a spreadsheet would take for a formula gets a quote before it (RFC 4180 has no word on this, attackers do).
static void csv_text(FILE *out, const char *text) {
  fputc('"', out);
  if (strchr("=+-@", text[0])) fputc('\'', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
  }
  fputc('"', out);
}

static void csv_line(FILE *out, const char *name, const struct lab_record *lab) {
  struct score score = lab_score(lab);
  csv_text(out, name);
  fprintf(out, ",%s,%g,%g", verdict_name(lab_verdict(lab)), score.points, score.maximum);
  for (size_t i = 0; i < lab->exercise_count; i++)
    fprintf(out, ",%s,%g",
            lab->exercises[i].not_started ? "not started" : verdict_name(lab->exercises[i].verdict),
            exercise_score(&lab->exercises[i]).points);
  fputc('\n', out);
  fflush(out);
}

static void csv_head(FILE *out, const struct lab_record *lab) {
  fputs("submission,verdict,score,max_score", out);
  for (size_t i = 0; i < lab->exercise_count; i++)
    fprintf(out, ",%s,%s points", lab->exercises[i].name, lab->exercises[i].name);
  fputc('\n', out);
}

static int report_plain_text(FILE *out, const struct lab_record *lab) {
  struct text_style style = {.colour = false, .hint_prefix = "make hint-"};
  return report_text(out, lab, &style);
}

static int grade_one(const struct arguments *batch, const char *name, FILE *csv, bool first,
                     enum verdict *verdict) {
  char folder[PATH_MAX], path[PATH_MAX];
  struct arguments one = *batch;
  struct lab_record lab = {0};
  snprintf(folder, sizeof folder, "%s/%s", batch->submissions, name);
  one.submission = folder;
  one.output = NULL;
  int status = grade_submission(&one, true, &lab);
  if (status == 0) {
    *verdict = lab_verdict(&lab);
    if (snprintf(path, sizeof path, "%s/%s.json", batch->output, name) < (int)sizeof path)
      status = write_report(path, &lab, report_json);
    if (snprintf(path, sizeof path, "%s/%s.txt", batch->output, name) < (int)sizeof path && status == 0)
      status = write_report(path, &lab, report_plain_text);
    if (first) csv_head(csv, &lab);
    csv_line(csv, name, &lab);
    struct score score = lab_score(&lab);
    printf("%-32s %-10s %g of %g points\n", name, verdict_name(*verdict), score.points, score.maximum);
    fflush(stdout);
  }
  lab_record_free(&lab);
  return status;
}

static int grade_all(const struct arguments *arguments, struct dirent **entries, int count, FILE *csv) {
  int passed = 0, errors = 0, folders = 0;
  for (int i = 0; i < count; i++) {
    struct stat status;
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/%s", arguments->submissions, entries[i]->d_name);
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode)) {
      fprintf(stderr, "grader: %s is no folder and was left out\n", folder);
      continue;
    }
    enum verdict verdict = VERDICT_ERROR;
    if (grade_one(arguments, entries[i]->d_name, csv, folders++ == 0, &verdict) != 0) return STATUS_ERROR;
    passed += verdict == VERDICT_PASS;
    errors += verdict == VERDICT_ERROR;
  }
  printf("%d submissions: %d passed, %d fell short, %d with grader errors\n", folders, passed,
         folders - passed - errors, errors);
  if (folders == 0)
    return complain("%s holds no folders: each submission is a folder of its own", arguments->submissions);
  return errors ? STATUS_ERROR : passed == folders ? STATUS_PASSED : STATUS_FELL_SHORT;
}

int command_batch(int count, char **given) {
  struct arguments arguments;
  struct dirent **entries;
  char path[PATH_MAX];
  if (arguments_read("batch", TAKES_SUBMISSIONS, count, given, &arguments) != 0) return STATUS_ERROR;
  if (!arguments.submissions || !arguments.output)
    return complain("batch: usage: grader batch LAB SUBMISSIONS --out DIR [--jobs N]");
  int entry_count = scandir(arguments.submissions, &entries, is_submission, alphasort);
  if (entry_count < 0) return complain("%s: %s", arguments.submissions, strerror(errno));
  int status = make_folder(arguments.output);
  FILE *csv = NULL;
  if (status == 0 && snprintf(path, sizeof path, "%s/grades.csv", arguments.output) < (int)sizeof path)
    csv = fopen(path, "we");
  if (status == 0 && !csv) status = complain("%s: %s", path, strerror(errno));
  if (status == 0) status = grade_all(&arguments, entries, entry_count, csv);
  if (csv && fclose(csv) != 0) status = complain("%s: %s", path, strerror(errno));
  for (int i = 0; i < entry_count; i++)
    free(entries[i]);
  free(entries);
  return status;
}
