// In: a file of marks. Out: marks in order of launch, processor, block, warp and time. One idea: %globaltimer
// goes in steps, so within one processor the time between marks is that of its clock, whose pace follows from
// the first and the last mark there.
#include "virtual-hopper/time/measured.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MARKS = 4000000, LONGEST_LINE = 256, WHOLE_LINE = 255 };

struct reader {
  struct measured *m;
  char *wrong;
  size_t size;
  uint64_t line;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct reader *r, const char *format, ...) {
  va_list list;
  int used = snprintf(r->wrong, r->size, "line %" PRIu64 ": ", r->line);
  va_start(list, format);
  vsnprintf(r->wrong + used, r->size - (size_t)used, format, list);
  va_end(list);
  return false;
}

// ---- lines ------------------------------------------------------------------------------------------------

static int name_number(struct measured *m, const char *text) {
  for (uint32_t i = 0; i < m->name_count; i++)
    if (strcmp(m->names[i].text, text) == 0) return (int)i;
  if (m->name_count == MEASURED_MOST_NAMES) return -1;
  snprintf(m->names[m->name_count].text, MEASURED_NAME, "%s", text);
  return (int)m->name_count++;
}

// mark = "mark" processor launch block warp lanes ("begin" | "end") nanoseconds clock cost name
static bool take_mark(struct reader *r, const char *line) {
  struct measured *m = r->m;
  struct measured_mark mark = {.when = 0};
  char word[6], name[MEASURED_NAME];
  uint64_t nanoseconds;
  int end = 0;
  const int taken = sscanf(line,
                           "mark %9" SCNu32 " %10" SCNu32 " %10" SCNu32 " %4" SCNu32 " %8" SCNx32
                           " %5s %20" SCNu64 " %20" SCNu64 " %10" SCNu32 " %n",
                           &mark.processor, &mark.launch, &mark.block, &mark.warp, &mark.lanes, word,
                           &nanoseconds, &mark.clock, &mark.cost, &end);
  mark.begins = taken == 9 && strcmp(word, "begin") == 0;
  const bool known = taken == 9 && (mark.begins || strcmp(word, "end") == 0) && end > 0 && line[end];
  if (!known || !mark.lanes) return fail(r, "this is no mark");
  snprintf(name, sizeof name, "%.31s", line + end);
  const int number = name_number(m, name);
  if (number < 0) return fail(r, "there are more than %d names", MEASURED_MOST_NAMES);
  mark.name = (uint16_t)number;
  if (m->count == MOST_MARKS) return fail(r, "there are more than %d marks", MOST_MARKS);
  if (m->count == m->capacity) {
    m->capacity = m->capacity ? 2 * m->capacity : 1024;
    m->marks = realloc(m->marks, m->capacity * sizeof *m->marks);
    if (!m->marks) return fail(r, "there is no memory for so many marks");
  }
  if (!m->count) m->first_ns = nanoseconds;
  mark.when = (double)(int64_t)(nanoseconds - m->first_ns);
  m->marks[m->count++] = mark;
  return true;
}

static bool take_line(struct reader *r, const char *line, bool *ended) {
  struct measured *m = r->m;
  uint32_t processor, lost;
  if (strcmp(line, "end") == 0)
    *ended = true;
  else if (strncmp(line, "mark ", 5) == 0)
    return take_mark(r, line);
  else if (strncmp(line, "device ", 7) == 0)
    snprintf(m->device, sizeof m->device, "%.63s", line + 7);
  else if (sscanf(line, "lost %9" SCNu32 " %10" SCNu32, &processor, &lost) == 2)
    m->lost += lost;
  else if (sscanf(line, "room %10" SCNu32, &m->room) != 1)
    return fail(r, "this is no line that timeline_write writes");
  return true;
}

static bool read_lines(struct reader *r, FILE *in) {
  char line[LONGEST_LINE];
  bool ended = false;
  while (fgets(line, sizeof line, in)) {
    const size_t length = strcspn(line, "\n");
    r->line++;
    if (length == WHOLE_LINE) return fail(r, "this line is too long");
    line[length] = '\0';
    if (r->line == 1) {
      if (strcmp(line, "timeline 1") != 0) return fail(r, "this is no file that timeline_write has written");
    } else if (ended) {
      return fail(r, "something stands behind the last line");
    } else if (!take_line(r, line, &ended)) {
      return false;
    }
  }
  if (ferror(in)) return fail(r, "the file can't be read");
  if (!r->line) return fail(r, "the file is empty");
  if (!ended) return fail(r, "the file ends before its last line: it was not written to its end");
  if (!r->m->count)
    return fail(r, "there is no mark: did a kernel with timeline_begin run, in the same source file?");
  return true;
}

// ---- order and time ---------------------------------------------------------------------------------------

static int compare(uint64_t a, uint64_t b) {
  return (a > b) - (a < b);
}

static int by_processor(const void *left, const void *right) {
  const struct measured_mark *a = left, *b = right;
  int order = compare(a->launch, b->launch);
  if (!order) order = compare(a->processor, b->processor);
  return order ? order : compare(a->clock, b->clock);
}

static int by_warp(const void *left, const void *right) {
  const struct measured_mark *a = left, *b = right;
  int order = compare(a->launch, b->launch);
  if (!order) order = compare(a->processor, b->processor);
  if (!order) order = compare(a->block, b->block);
  if (!order) order = compare(a->warp, b->warp);
  return order ? order : compare(a->clock, b->clock);
}

static bool same_processor(const struct measured_mark *a, const struct measured_mark *b) {
  return a->launch == b->launch && a->processor == b->processor;
}

// [first, last] are one launch's marks of one processor, by its clock.
static void refine(struct measured_mark *first, const struct measured_mark *last) {
  const double least_ns = 2000, ns = last->when - first->when;
  const uint64_t clocks = last->clock - first->clock, from = first->clock;
  if (!(ns > least_ns) || !clocks) return;
  const double begin = first->when, pace = ns / (double)clocks;
  for (struct measured_mark *mark = first; mark <= last; mark++)
    mark->when = begin + (double)(mark->clock - from) * pace;
}

static void put_in_order(struct measured *m) {
  double earliest = 0;
  uint32_t most = 0;
  qsort(m->marks, m->count, sizeof *m->marks, by_processor);
  for (uint32_t i = 0, next; i < m->count; i = next) {
    for (next = i; next < m->count && same_processor(&m->marks[i], &m->marks[next]);)
      next++;
    refine(&m->marks[i], &m->marks[next - 1]);
    m->launches += i == 0 || m->marks[i].launch != m->marks[i - 1].launch;
    if (next - i <= most) continue;
    most = next - i;
    m->chosen_launch = m->marks[i].launch;
    m->chosen_processor = m->marks[i].processor;
  }
  for (uint32_t i = 0; i < m->count; i++)
    if (m->marks[i].when < earliest) earliest = m->marks[i].when;
  for (uint32_t i = 0; i < m->count; i++) {
    m->marks[i].when -= earliest;
    m->mean_cost += m->marks[i].cost / (double)m->count;
  }
  qsort(m->marks, m->count, sizeof *m->marks, by_warp);
}

static void count_processors(struct measured *m) {
  uint64_t seen[16] = {0}; // numbers from 0 to 1023
  for (uint32_t i = 0; i < m->count; i++) {
    const uint32_t number = m->marks[i].processor % (64 * 16);
    m->processors += !(seen[number / 64] >> number % 64 & 1);
    seen[number / 64] |= 1ULL << number % 64;
  }
}

bool measured_read(struct measured *m, FILE *in, char *wrong, size_t size) {
  struct reader r = {.m = m, .wrong = wrong, .size = size};
  *m = (struct measured){.device = "an unknown GPU"};
  if (!read_lines(&r, in)) return false;
  put_in_order(m);
  count_processors(m);
  return true;
}

void measured_free(struct measured *m) {
  free(m->marks);
}
