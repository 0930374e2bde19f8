// In: measured marks, in order. Out: a table, a picture of one processor, or a trace of all. One idea: the
// marks of one warp of one block of one launch lie together, and are matched at once.
#include "virtual-hopper/time/measured.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/printable.h"

enum { WARPS_SHOWN = 8, SPANS_SHOWN = 40 };

struct walk {
  const struct measured *m;
  uint32_t first, next; // [first, next): marks of one warp
  struct range_mark *marks;
};

// The marks of the next warp. `from`: what time is 0.
static bool next_warp(struct walk *w, double from) {
  const struct measured *m = w->m;
  w->first = w->next;
  if (w->first == m->count) return false;
  const struct measured_mark *one = &m->marks[w->first];
  for (; w->next < m->count; w->next++) {
    const struct measured_mark *mark = &m->marks[w->next];
    if (mark->launch != one->launch || mark->processor != one->processor || mark->block != one->block ||
        mark->warp != one->warp)
      break;
    w->marks[w->next - w->first] =
        (struct range_mark){mark->when - from, mark->lanes, mark->name, mark->begins};
  }
  return true;
}

static bool walk_begin(struct walk *w, const struct measured *m) {
  *w = (struct walk){.m = m, .marks = calloc(m->count + 1, sizeof *w->marks)};
  return w->marks != NULL;
}

// ---- the table --------------------------------------------------------------------------------------------

static void add_to_table(void *context, const struct range *range) {
  struct measured *m = context;
  struct measured_name *name = &m->names[range->name];
  const double length = range->end - range->begin;
  if (range->never_ends) return;
  if (!name->times || length < name->least) name->least = length;
  if (length > name->most) name->most = length;
  name->sum += length;
  name->times++;
}

// What doesn't fit together is said of the first warp that has it. A full buffer has lost ends.
static void make_table(struct measured *m, struct timeline *t) {
  struct walk w;
  if (!walk_begin(&w, m)) return;
  while (next_warp(&w, 0)) {
    const struct measured_mark *one = &m->marks[w.first];
    struct range_wrong wrong = {0};
    char who[64];
    ranges_match(w.marks, w.next - w.first, 0, add_to_table, m, &wrong);
    snprintf(who, sizeof who, "warp %" PRIu32 " of block %" PRIu32, one->warp, one->block);
    if (!m->lost) timeline_check_ranges(t, w.marks, w.next - w.first, who);
  }
  free(w.marks);
}

// ---- the picture ------------------------------------------------------------------------------------------

static bool is_chosen(const struct measured *m, const struct measured_mark *mark) {
  return mark->launch == m->chosen_launch && mark->processor == m->chosen_processor;
}

static int by_size(const void *left, const void *right) {
  const double *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

// Of the processor: from the middle of its marks on, until its warps have come to as many marks as a picture
// holds.
static bool choose_window(const struct measured *m, struct timeline *t) {
  double *times = calloc(m->count, sizeof *times);
  uint32_t count = 0, warps = 0;
  const struct measured_mark *last = NULL;
  if (!times) return false;
  for (uint32_t i = 0; i < m->count; i++) {
    const struct measured_mark *mark = &m->marks[i];
    if (!is_chosen(m, mark)) continue;
    warps += !last || last->block != mark->block || last->warp != mark->warp;
    last = mark;
    times[count++] = mark->when;
  }
  qsort(times, count, sizeof *times, by_size);
  uint32_t from = count / 3, wanted = 2 * SPANS_SHOWN * (warps < WARPS_SHOWN ? warps : WARPS_SHOWN) / 4;
  if (count <= wanted) from = 0;
  const uint32_t to = from + wanted < count ? from + wanted : count - 1;
  t->us = (float)((times[count - 1] - times[0]) / 1000);
  t->begin = (float)times[from];
  t->end = (float)times[to];
  if (!(t->end > t->begin)) t->end = t->begin + 1;
  free(times);
  return true;
}

static void add_warp(struct timeline *t, const struct walk *w) {
  const struct measured_mark *one = &w->m->marks[w->first];
  const double length = (double)(t->end - t->begin);
  bool inside = false;
  for (uint32_t i = 0; i < w->next - w->first && !inside; i++)
    inside = w->marks[i].when >= 0 && w->marks[i].when <= length;
  uint32_t shown = 0;
  for (uint32_t i = 0; i < t->lane_count; i++)
    shown += t->lanes[i].offset == 0;
  if (!inside || shown == WARPS_SHOWN || t->lane_count + RANGES_MOST_ROWS > TIMELINE_LANES) return;
  const struct timeline_lane of = {.place = one->block, .warp = one->warp, .is_shown = 1};
  const uint32_t before = t->lane_count;
  timeline_add_ranges(t, &of, w->marks, w->next - w->first, w->marks[w->next - w->first - 1].when);
  for (uint32_t i = before; i < t->lane_count; i++)
    snprintf(t->lanes[i].name, sizeof t->lanes[i].name,
             i == before ? "block %" PRIu32 ", warp %" PRIu32 : "inner range", one->block, one->warp);
}

struct timeline *measured_timeline(struct measured *m) {
  struct walk w;
  struct timeline *t = calloc(1, sizeof *t);
  if (!t || !walk_begin(&w, m)) {
    free(t);
    return NULL;
  }
  snprintf(t->kernel, sizeof t->kernel, "launch %" PRIu32, m->chosen_launch);
  snprintf(t->device, sizeof t->device, "processor %" PRIu32 " of %.63s", m->chosen_processor, m->device);
  for (uint32_t i = 0; i < m->name_count; i++)
    timeline_name_range(t, m->names[i].text, "", 0);
  make_table(m, t);
  if (choose_window(m, t))
    while (next_warp(&w, (double)t->begin))
      if (is_chosen(m, &m->marks[w.first])) add_warp(t, &w);
  free(w.marks);
  return t;
}

// ---- the trace --------------------------------------------------------------------------------------------

struct trace {
  FILE *out;
  const struct measured *m;
  const struct measured_mark *one;
};

static void quote(FILE *out, const char *text) {
  fputc('"', out);
  for (const char *c = text; *c; c++) {
    const unsigned char byte = (unsigned char)*c;
    if (byte == '"' || byte == '\\') fputc('\\', out);
    fputc(byte < 0x20 || byte >= 0x7f ? '?' : byte, out);
  }
  fputc('"', out);
}

static void write_range(void *context, const struct range *range) {
  const struct trace *trace = context;
  const struct measured_mark *one = trace->one;
  fprintf(trace->out,
          ",\n{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu64 ",\"ts\":%.4f,\"dur\":%.4f,\"name\":",
          one->processor + 1, (uint64_t)one->block * 32 + one->warp + 1, range->begin / 1000,
          (range->end - range->begin) / 1000);
  quote(trace->out, trace->m->names[range->name].text);
  fprintf(trace->out, ",\"args\":{\"launch\":%" PRIu32 ",\"block\":%" PRIu32 ",\"warp\":%" PRIu32 "}}",
          one->launch, one->block, one->warp);
}

void measured_write_trace(const struct measured *m, FILE *out) {
  struct walk w;
  struct trace trace = {out, m, NULL};
  uint32_t processor = UINT32_MAX;
  if (!walk_begin(&w, m)) return;
  fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
        "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{\"name\":",
        out);
  quote(out, m->device);
  fputs("}}", out);
  while (next_warp(&w, 0)) {
    struct range_wrong ignored = {0};
    trace.one = &m->marks[w.first];
    if (trace.one->processor != processor)
      fprintf(out,
              ",\n{\"ph\":\"M\",\"pid\":%" PRIu32
              ",\"name\":\"process_name\",\"args\":{\"name\":\"processor %" PRIu32 ", measured\"}}",
              trace.one->processor + 1, trace.one->processor);
    processor = trace.one->processor;
    fprintf(out,
            ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu64
            ",\"name\":\"thread_name\",\"args\":{\"name\":\"block %" PRIu32 ", warp %" PRIu32 "\"}}",
            processor + 1, (uint64_t)trace.one->block * 32 + trace.one->warp + 1, trace.one->block,
            trace.one->warp);
    ranges_match(w.marks, w.next - w.first, w.marks[w.next - w.first - 1].when, write_range, &trace,
                 &ignored);
  }
  fputs("\n]}\n", out);
  free(w.marks);
}

// ---- in words ---------------------------------------------------------------------------------------------

void measured_print(const struct measured *m, const struct timeline *t, FILE *out) {
  fputs("Measured on an ", out);
  printable_print(out, m->device);
  fprintf(out, ": %" PRIu32 " marks of %" PRIu32 " %s on %" PRIu32 " %s.\n", m->count, m->launches,
          m->launches == 1 ? "launch" : "launches", m->processors,
          m->processors == 1 ? "processor" : "processors");
  fprintf(out, "%-26s %10s %12s %12s %12s\n", "range", "times", "mean ns", "least ns", "most ns");
  for (uint32_t i = 0; i < m->name_count; i++) {
    const struct measured_name *name = &m->names[i];
    int width = (int)strlen(name->text);
    printable_print(out, name->text);
    for (; width < 26; width++)
      fputc(' ', out);
    if (name->times)
      fprintf(out, " %10" PRIu64 " %12.0f %12.0f %12.0f\n", name->times, name->sum / (double)name->times,
              name->least, name->most);
    else
      fprintf(out, " %10s %12s %12s %12s\n", "0", "-", "-", "-");
  }
  fprintf(out, "A mark itself took %.0f ns as a mean: ranges with other ranges in them are longer by that.\n",
          m->mean_cost);
  if (m->lost)
    fprintf(out,
            "%" PRIu64 " marks found no room: of each processor the first %" PRIu32
            " are kept. For more, compile with "
            "-DTIMELINE_MARKS=%" PRIu32 ", or mark fewer ranges.\n",
            m->lost, m->room, m->room < UINT32_MAX / 4 ? 4 * m->room : m->room);
  if (t->unmatched[0]) {
    fputs("Named ranges: ", out);
    printable_print(out, t->unmatched);
    fputc('\n', out);
  }
}
