// What all stages share: seeds, progress lines, and conclusions in the record.
#include "referee/grading.h"
#include "virtual-hopper/base/printable.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TASK_DEADLINES // smaller where tests are to meet it
#define TASK_DEADLINES 100
#endif

const char *grading_called(const struct grading *grading) {
  return grading->called[0] ? grading->called : grading->submission;
}

static uint64_t stir(uint64_t state, uint64_t value) {
  state = (state ^ value) * 0x9e3779b97f4a7c15U;
  return state ^ state >> 29;
}

uint64_t task_seed(const struct task *task, const char *purpose, uint64_t number) {
  uint64_t seed = stir(task->grading->seed, number);
  for (const char *c = task->exercise->name; *c; c++)
    seed = stir(seed, (unsigned char)*c);
  for (const char *c = purpose; *c; c++)
    seed = stir(seed, (unsigned char)*c);
  return seed;
}

// Solutions take some seconds.
double task_allowance(const struct task *task) {
  return TASK_DEADLINES * task->grading->host_deadline;
}

void task_spend(const struct task *task, double seconds) {
  if (task->worked) *task->worked += seconds;
}

bool task_has_overdrawn(const struct task *task, double seconds) {
  return task->worked && *task->worked + seconds > task_allowance(task);
}

void task_progress(const struct task *task, const char *format, ...) {
  char line[160];
  if (task->progress < 0) return;
  int length = snprintf(line, sizeof line, "%s: ", task->exercise->name);
  va_list list;
  va_start(list, format);
  length += vsnprintf(line + length, sizeof line - (size_t)length - 1, format, list);
  va_end(list);
  if (length > (int)sizeof line - 2) length = (int)sizeof line - 2;
  line[length++] = '\n';
  // Short enough for a single write; if it fails, only a progress line is lost.
  ssize_t written = write(task->progress, line, (size_t)length);
  (void)written;
}

struct stage_record *task_conclude(const struct task *task, enum stage which, enum verdict verdict,
                                   const char *summary, const char *format, ...) {
  struct stage_record *stage = &task->record->stages[which];
  stage->verdict = verdict;
  snprintf(stage->summary, sizeof stage->summary, "%s", summary);
  va_list list;
  va_start(list, format);
  vsnprintf(stage->headline, sizeof stage->headline, format, list);
  va_end(list);
  printable_make(stage->headline, sizeof stage->headline);
  free(stage->detail);
  stage->detail = NULL;
  return stage;
}

void stage_detail(struct stage_record *stage, const char *format, ...) {
  char *given = NULL;
  va_list list;
  va_start(list, format);
  int made = vasprintf(&given, format, list);
  va_end(list);
  char *more = made < 0 ? NULL : printable_copy(given);
  if (made >= 0) free(given);
  if (!more) return;
  size_t length = strlen(more);
  size_t before = stage->detail ? strlen(stage->detail) : 0;
  char *detail = realloc(stage->detail, before + length + 1);
  if (detail) {
    memcpy(detail + before, more, length + 1);
    stage->detail = detail;
  }
  free(more);
}
