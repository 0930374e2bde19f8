// In: marks of named ranges. Out: rows of a timeline, and what is wrong with the marks in words. One idea: a
// range is a span whose note is its name; ranges that overlap lie in rows below each other.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/time/ranges.h"
#include "virtual-hopper/time/timeline.h"

struct rows {
  struct timeline *t;
  const struct timeline_lane *of;
  int lanes[RANGES_MOST_ROWS]; // -1: not there yet
};

uint8_t timeline_name_range(struct timeline *t, const char *name, const char *file, uint32_t line) {
  uint8_t named = 1;
  for (uint32_t i = 0; i < t->note_count; i++) {
    if (!t->notes[i].named) continue;
    if (strncmp(t->notes[i].what, name, sizeof t->notes[i].what - 1) == 0) return (uint8_t)i;
    named++;
  }
  if (t->note_count == TIMELINE_NOTES) return TIMELINE_NO_NOTE;
  struct timeline_note *note = &t->notes[t->note_count];
  *note = (struct timeline_note){.line = line, .named = named};
  snprintf(note->what, sizeof note->what, "%.63s", name);
  snprintf(note->file, sizeof note->file, "%.95s", file);
  return (uint8_t)t->note_count++;
}

static int row_lane(struct rows *rows, uint8_t row) {
  struct timeline *t = rows->t;
  for (uint32_t i = 0; i <= row; i++) {
    if (rows->lanes[i] >= 0) continue;
    for (uint32_t k = 0; k < t->lane_count; k++)
      if (t->lanes[k].is_range && t->lanes[k].place == rows->of->place &&
          t->lanes[k].warp == rows->of->warp && t->lanes[k].offset == i)
        rows->lanes[i] = (int)k;
    if (rows->lanes[i] >= 0) continue;
    if (t->lane_count == TIMELINE_LANES) return -1;
    struct timeline_lane *lane = &t->lanes[t->lane_count];
    *lane = (struct timeline_lane){.place = rows->of->place,
                                   .warp = rows->of->warp,
                                   .offset = i,
                                   .is_shown = rows->of->is_shown,
                                   .is_range = 1};
    snprintf(lane->name, sizeof lane->name, i ? "warp %u, inner range" : "warp %u, named ranges",
             rows->of->warp);
    rows->lanes[i] = (int)t->lane_count++;
  }
  return rows->lanes[row];
}

static void add_range(void *context, const struct range *range) {
  struct rows *rows = context;
  struct timeline *t = rows->t;
  const double length = (double)(t->end - t->begin);
  const double begin = range->begin > 0 ? range->begin : 0, end = range->end < length ? range->end : length;
  if (!(end >= begin) || range->begin > length || range->end < 0 || t->span_count == TIMELINE_SPANS) return;
  const int lane = row_lane(rows, range->row);
  if (lane < 0) return;
  t->lanes[lane].share[TIMELINE_NAMED] += (float)((end - begin) / length);
  t->spans[t->span_count++] = (struct timeline_span){.begin = (float)begin,
                                                     .end = (float)end,
                                                     .lane = (uint16_t)lane,
                                                     .state = TIMELINE_NAMED,
                                                     .note = (uint8_t)range->name,
                                                     .whole = range->begin >= 0 && range->end <= length};
}

void timeline_add_ranges(struct timeline *t, const struct timeline_lane *of, const struct range_mark *marks,
                         uint32_t count, double end) {
  const struct timeline_lane warp = *of; // `of` lies among the lanes that grow
  struct rows rows = {.t = t, .of = &warp};
  struct range_wrong ignored = {0}; // marks of a window needn't fit together
  for (int i = 0; i < RANGES_MOST_ROWS; i++)
    rows.lanes[i] = -1;
  ranges_match(marks, count, end, add_range, &rows, &ignored);
}

// What is wrong, as a sentence; "": nothing.
static void word_wrong(const struct timeline *t, const struct range_wrong *wrong, const char *who, char *to,
                       size_t size) {
  *to = '\0';
  // Where there was no room for a range, its end has no begin: the cause is said first.
  if (wrong->halved)
    snprintf(to, size,
             "of the threads of %s that come to timeline_begin(\"%s\"), some never come to timeline_end: the "
             "range lasts until the warp ends.",
             who, t->notes[wrong->halved_name].what);
  else if (wrong->unended)
    snprintf(to, size, "%s comes to timeline_begin(\"%s\") and never to timeline_end (%u times).", who,
             t->notes[wrong->unended_name].what, wrong->unended);
  else if (wrong->crowded)
    snprintf(to, size, "%s has more than %d ranges open at a time: %u are left out.", who, RANGES_MOST_ROWS,
             wrong->crowded);
  else if (wrong->unbegun)
    snprintf(to, size, "%s comes to timeline_end(\"%s\") without timeline_begin (%u times).", who,
             t->notes[wrong->unbegun_name].what, wrong->unbegun);
}

static void drop_range(void *context, const struct range *range) {
  (void)context;
  (void)range;
}

// Adds the sentence if there is one and it fits. `mark`: of t->told.
static void tell(struct timeline *t, const struct range_wrong *wrong, const char *who, uint64_t mark) {
  char sentence[256];
  word_wrong(t, wrong, who, sentence, sizeof sentence);
  const size_t used = strlen(t->unmatched), size = sizeof t->unmatched;
  if (!sentence[0] || used + strlen(sentence) + 2 > size) return;
  snprintf(t->unmatched + used, size - used, "%s%s", used ? " " : "", sentence);
  t->told |= mark;
}

void timeline_check_ranges(struct timeline *t, const struct range_mark *marks, uint32_t count,
                           const char *who) {
  const uint64_t crowded = (uint64_t)1 << TIMELINE_NOTES;
  struct range_mark *alike = calloc(count + 1, sizeof *alike);
  if (!alike) return;
  for (uint32_t name = 0; name < t->note_count; name++) {
    uint32_t found = 0;
    if (!t->notes[name].named || (t->told >> name & 1)) continue;
    for (uint32_t i = 0; i < count; i++)
      if (marks[i].name == name) alike[found++] = marks[i];
    struct range_wrong wrong = {0};
    ranges_match(alike, found, 0, drop_range, NULL, &wrong);
    tell(t, &wrong, who, (uint64_t)1 << name);
  }
  free(alike);
  struct range_wrong all = {0};
  ranges_match(marks, count, 0, drop_range, NULL, &all);
  if (all.crowded && !(t->told & crowded))
    tell(t, &(struct range_wrong){.crowded = all.crowded}, who, crowded);
}
