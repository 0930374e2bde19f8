// In: a count and folders of submissions to lab9. Out: for each exercise the verdicts and ratios that its
// bandwidth stage gave when it was repeated so often; exit 1 if any exercise got two different verdicts, 2 if
// one could not be timed. The idea: a verdict that flips is worse than a slow one, and only repetition shows
// it.
//   repeat-verdicts COUNT FOLDER..
#include "monotonic.h"
#include "referee/grade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct tally {
  unsigned passed, failed, others;
  double lowest, highest, seconds, longest;
};

static void count_one(struct tally *tally, const struct stage_record *stage, double seconds) {
  tally->passed += stage->verdict == VERDICT_PASS;
  tally->failed += stage->verdict == VERDICT_FAIL;
  tally->others += stage->verdict != VERDICT_PASS && stage->verdict != VERDICT_FAIL;
  if (!(stage->ratio >= tally->lowest)) tally->lowest = stage->ratio;
  if (!(stage->ratio <= tally->highest)) tally->highest = stage->ratio;
  tally->seconds += seconds;
  if (seconds > tally->longest) tally->longest = seconds;
}

static void repeat(struct task *task, unsigned count, struct tally *tally) {
  struct grading *grading = (struct grading *)task->grading;
  *tally = (struct tally){.lowest = 100, .highest = -1};
  if (!build_stage(task)) {
    printf("%s", task->record->stages[STAGE_BUILD].detail);
    tally->others = count;
    return;
  }
  for (unsigned i = 0; i < count; i++) {
    struct stage_record *stage = &task->record->stages[STAGE_BANDWIDTH];
    grading->seed = (uint64_t)time(NULL) * 1000 + i;
    double start = monotonic_seconds();
    bandwidth_stage(task);
    count_one(tally, stage, monotonic_seconds() - start);
    if (!stage->has_ratio)
      printf("%s %s\n%s", task->exercise->name, stage->headline, stage->detail ? stage->detail : "");
  }
}

static int repeat_exercise(struct grading *grading, const struct exercise *exercise, unsigned count) {
  static const struct exercise_record nothing;
  struct exercise_record record = nothing;
  struct tally tally;
  struct task task = {.grading = grading, .exercise = exercise, .record = &record, .progress = -1};
  for (unsigned i = 0; i < grading->config.exercise_count; i++)
    if (strcmp(grading->config.exercises[i].name, exercise->name) == 0)
      task.config = &grading->config.exercises[i];
  snprintf(task.source, sizeof task.source, "%.4000s/%.60s.cu", grading->submission, exercise->name);
  if (access(task.source, R_OK) != 0) return 0;
  if (sandbox_make_scratch(task.scratch, sizeof task.scratch) != 0) return 2;
  repeat(&task, count, &tally);
  sandbox_remove_scratch(task.scratch);
  printf("%-52.52s %3u pass %3u fail %2u other   ratio %.4f to %.4f   %.1f s each, at most %.1f s\n",
         kit_short_path(task.source, grading->directory), tally.passed, tally.failed, tally.others,
         tally.lowest, tally.highest, tally.seconds / count, tally.longest);
  fflush(stdout);
  exercise_record_free(&record);
  if (tally.others > 0) return 2;
  return tally.passed == count || tally.failed == count ? 0 : 1;
}

int main(int count, char **arguments) {
  char error[600];
  unsigned times = count > 2 ? (unsigned)strtoul(arguments[1], NULL, 10) : 0;
  struct grading *grading = calloc(1, sizeof *grading);
  if (times == 0 || !grading) {
    fprintf(stderr, "usage: repeat-verdicts COUNT FOLDER..\n");
    return 2;
  }
  *grading = (struct grading){.jobs = 1,
                              .workers = 1,
                              .build_deadline = 60,
                              .host_deadline = 10,
                              .launch_deadline = 10,
                              .gpu_lock = -1};
  if (grading_set_up(grading, "lab9", NULL, "gpu", error, sizeof error) != 0) {
    fprintf(stderr, "%s\n", error);
    return 2;
  }
  int worst = 0;
  size_t exercise_count;
  const struct exercise *const *exercises = exercises_of("lab9", &exercise_count);
  for (int i = 2; i < count; i++) {
    if (!realpath(arguments[i], grading->submission)) return 2;
    for (size_t k = 0; k < exercise_count; k++) {
      int status = repeat_exercise(grading, exercises[k], times);
      if (status > worst) worst = status;
    }
  }
  grading_tear_down(grading);
  free(grading);
  return worst;
}
