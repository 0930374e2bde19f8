// In: a graded submission, what was changed by hand, and the deadline. Out: the mark that counts, and one
// line that says why it is not what was measured. The order: points by hand for single exercises, points that
// are added, then the days late, and last points by hand for the whole, which nothing changes any more.
#include "class/marks.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void say(struct mark *mark, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct mark *mark, const char *format, ...) {
  size_t length = strlen(mark->why);
  va_list list;
  if (length > 0 && length + 2 < sizeof mark->why) length += (size_t)sprintf(mark->why + length, "; ");
  va_start(list, format);
  vsnprintf(mark->why + length, sizeof mark->why - length, format, list);
  va_end(list);
}

static const char *comment_of(const struct override *override, char text[300]) {
  snprintf(text, 300, "%s%s%s", override->comment[0] ? " (" : "", override->comment,
           override->comment[0] ? ")" : "");
  return text;
}

static double measured_of(const struct outcome *outcome, const char *exercise) {
  for (size_t i = 0; i < outcome->lab.exercise_count; i++)
    if (strcmp(outcome->lab.exercises[i].name, exercise) == 0)
      return exercise_score(&outcome->lab.exercises[i]).points;
  return 0;
}

// Points of single exercises, and points that are added to the whole.
static void change_parts(const struct class *class, size_t index, struct mark *mark) {
  char text[300];
  for (size_t i = 0; i < class->overrides.count; i++) {
    const struct override *change = &class->overrides.list[i];
    if (change->student != index || !change->has_points) continue;
    if (!change->exercise[0] && !change->added) continue;
    mark->points += change->points;
    mark->by_hand = true;
    if (change->exercise[0] && !change->added)
      mark->points -= measured_of(&class->outcomes[index], change->exercise);
    say(mark, "%s%s%s%g by hand%s", change->exercise, change->exercise[0] ? ": " : "",
        change->added && change->points >= 0 ? "+" : "", change->points, comment_of(change, text));
  }
}

static void give_whole(const struct class *class, size_t index, struct mark *mark) {
  char text[300];
  for (size_t i = 0; i < class->overrides.count; i++) {
    const struct override *change = &class->overrides.list[i];
    if (change->student != index || !change->has_points || change->exercise[0] || change->added) continue;
    mark->points = change->points;
    mark->by_hand = mark->given = true;
    say(mark, "%g by hand%s", change->points, comment_of(change, text));
  }
}

// ---- late ----

static void count_days(const struct class *class, size_t index, struct mark *mark) {
  const struct lab_config *config = &class->grading->config;
  const struct student *student = &class->roster.students[index];
  double late = 0, extension = 0;
  bool by_hand = false;
  for (size_t i = 0; i < class->overrides.count; i++) {
    const struct override *change = &class->overrides.list[i];
    if (change->student != index) continue;
    if (change->has_late) late = change->late_days;
    by_hand |= change->has_late;
    extension += change->extension;
  }
  if (!by_hand && config->deadline && student->handed_in)
    late = (double)(student->handed_in - config->deadline) / 86400;
  else if (!by_hand)
    mark->late_unknown = student->late && config->late_count > 0 && extension == 0;
  late = ceil(late - extension);
  mark->late_days = late > 0 ? (unsigned)late : 0;
}

static void take_off(const struct class *class, size_t index, struct mark *mark) {
  const struct lab_config *config = &class->grading->config;
  char text[300];
  count_days(class, index, mark);
  if (mark->late_days && config->late_count) {
    unsigned day = mark->late_days < config->late_count ? mark->late_days : config->late_count;
    mark->factor = config->late[day - 1];
    mark->points *= mark->factor;
    say(mark, "%u day%s late: times %g", mark->late_days, mark->late_days == 1 ? "" : "s", mark->factor);
  }
  // Days alone have a comment, too.
  for (size_t i = 0; i < class->overrides.count; i++) {
    const struct override *change = &class->overrides.list[i];
    if (change->student != index || change->has_points || !change->comment[0]) continue;
    say(mark, "by hand%s", comment_of(change, text));
  }
}

// The most points of anybody: the maximum of somebody whom the grader could not grade.
static double most_of(const struct class *class) {
  double most = 0;
  for (size_t i = 0; i < class->roster.count; i++) {
    double maximum = class->outcomes[i].known ? lab_score(&class->outcomes[i].lab).maximum : 0;
    if (maximum > most) most = maximum;
  }
  return most;
}

struct mark mark_of(const struct class *class, size_t index) {
  const struct outcome *outcome = &class->outcomes[index];
  struct mark mark = {.factor = 1};
  if (outcome->known) {
    struct score score = lab_score(&outcome->lab);
    mark.points = mark.measured = score.points;
    mark.maximum = score.maximum;
    change_parts(class, index, &mark);
    take_off(class, index, &mark);
  }
  give_whole(class, index, &mark);
  if (mark.points < 0) mark.points = 0;
  if (mark.given && mark.maximum <= 0) mark.maximum = most_of(class);
  if (mark.why[0] && outcome->known) {
    char why[MARK_WHY];
    memcpy(why, mark.why, sizeof why);
    snprintf(mark.why, sizeof mark.why, "%g measured; %.600s", mark.measured, why);
  }
  return mark;
}
