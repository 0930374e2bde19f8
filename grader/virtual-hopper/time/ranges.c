// In: marks of a warp. Out: ranges. One idea: threads of a warp come apart, so a mark says which threads have
// come to it, and an end takes its threads out of the newest open range of its name that holds any of them.
#include "virtual-hopper/time/ranges.h"

#include <stddef.h>

struct open_range {
  double begin;
  uint32_t lanes, began; // who is still in it; who has been
  uint16_t name;
  uint8_t row;
};

struct matching {
  struct open_range open[RANGES_MOST_OPEN];
  uint32_t open_count;
  range_take *take;
  void *context;
  struct range_wrong *wrong;
};

static void note_first(uint32_t *count, uint16_t *first, uint16_t name) {
  if (!(*count)++) *first = name;
}

static uint8_t free_row(const struct matching *m) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < m->open_count; i++)
    used |= 1U << m->open[i].row;
  return (uint8_t)__builtin_ctz(~used | 1U << RANGES_MOST_ROWS);
}

// The newest open range of the name that holds any of the lanes (of `lanes` 0: any).
static struct open_range *find_open(struct matching *m, uint16_t name, uint32_t lanes) {
  for (uint32_t i = m->open_count; i-- > 0;)
    if (m->open[i].name == name && (!lanes || (m->open[i].lanes & lanes))) return &m->open[i];
  return NULL;
}

static void begin_range(struct matching *m, const struct range_mark *mark) {
  struct open_range *same = find_open(m, mark->name, 0);
  if (same && !(same->lanes & mark->lanes)) { // threads of the warp that come later than others
    same->lanes |= mark->lanes;
    same->began |= mark->lanes;
    return;
  }
  const uint8_t row = free_row(m);
  if (m->open_count == RANGES_MOST_OPEN || row == RANGES_MOST_ROWS) {
    m->wrong->crowded++;
    return;
  }
  m->open[m->open_count++] = (struct open_range){mark->when, mark->lanes, mark->lanes, mark->name, row};
}

static void close_range(struct matching *m, struct open_range *open, double when, bool never_ends) {
  const struct range range = {open->begin, when, open->name, open->row, never_ends};
  m->take(m->context, &range);
  const uint32_t at = (uint32_t)(open - m->open);
  m->open_count--;
  for (uint32_t i = at; i < m->open_count; i++)
    m->open[i] = m->open[i + 1];
}

static void end_range(struct matching *m, const struct range_mark *mark) {
  uint32_t lanes = mark->lanes;
  bool found = false;
  for (struct open_range *open; lanes && (open = find_open(m, mark->name, lanes));) {
    const uint32_t ended = open->lanes & lanes;
    found = true;
    lanes &= ~ended;
    open->lanes &= ~ended;
    if (!open->lanes) close_range(m, open, mark->when, false);
  }
  if (!found) note_first(&m->wrong->unbegun, &m->wrong->unbegun_name, mark->name);
}

void ranges_match(const struct range_mark *marks, uint32_t count, double end, range_take *take, void *context,
                  struct range_wrong *wrong) {
  struct matching m = {.take = take, .context = context, .wrong = wrong};
  for (uint32_t i = 0; i < count; i++) {
    if (marks[i].begins)
      begin_range(&m, &marks[i]);
    else
      end_range(&m, &marks[i]);
  }
  while (m.open_count) {
    struct open_range *open = &m.open[0];
    if (open->lanes != open->began)
      note_first(&wrong->halved, &wrong->halved_name, open->name);
    else
      note_first(&wrong->unended, &wrong->unended_name, open->name);
    close_range(&m, open, end > open->begin ? end : open->begin, true);
  }
}
