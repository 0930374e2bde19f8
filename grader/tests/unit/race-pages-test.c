// The notes of a page of global memory, where one number stands for all granules as long as it can. In:
// random accesses to runs of granules, and to the whole page. Out: the same answers as from arrays that hold
// a number for each granule.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "virtual-hopper/machine/machine.h"
#include "virtual-hopper/order/race-pages.h"

enum { STEPS = 3000, CLUSTERS = 3 };

struct granules { // as they were before pages had one number: 0 is nobody, else cluster and time
  struct {
    uint64_t cluster, time;
  } written[RACE_GRANULES], read[RACE_GRANULES], read_too[RACE_GRANULES];
};

static uint32_t state;

static uint32_t draw(uint32_t below) {
  state = state * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)state * below >> 32);
}

// A whole page, a run that begins or ends with it, or any run.
static void draw_run(uint32_t *from, uint32_t *to) {
  const uint32_t a = draw(RACE_GRANULES + 1), b = draw(RACE_GRANULES + 1), how = draw(4);
  *from = how < 2 ? 0 : a < b ? a : b;
  *to = how % 2 == 0 ? RACE_GRANULES : a < b ? b : a;
  if (*from == *to) *from = 0, *to = RACE_GRANULES;
}

static void expect(const struct race_page *page, uint16_t index, uint64_t cluster, uint64_t time) {
  assert_int_equal(index != 0, cluster != 0);
  if (!index) return;
  assert_int_equal(page->notes[index].cluster, cluster);
  assert_int_equal(page->notes[index].time, time);
}

static void expect_same(const struct race_page *page, const struct granules *g) {
  for (uint32_t n = 0; n < RACE_GRANULES; n++) {
    expect(page, race_index_at(&page->writes, n), g->written[n].cluster, g->written[n].time);
    expect(page, race_index_at(&page->reads, n), g->read[n].cluster, g->read[n].time);
    expect(page, race_index_at(&page->reads_too, n), g->read_too[n].cluster, g->read_too[n].time);
  }
}

static void read_granules(struct granules *g, uint32_t from, uint32_t to, const struct race_note *note) {
  for (uint32_t n = from; n < to; n++) {
    if (g->read[n].cluster && g->read[n].cluster != note->cluster) g->read_too[n] = g->read[n];
    g->read[n].cluster = note->cluster;
    g->read[n].time = note->time;
  }
}

static void write_granules(struct granules *g, uint32_t from, uint32_t to, const struct race_note *note) {
  for (uint32_t n = from; n < to; n++) {
    memset(&g->read[n], 0, sizeof g->read[n]);
    memset(&g->read_too[n], 0, sizeof g->read_too[n]);
    g->written[n].cluster = note->cluster;
    g->written[n].time = note->time;
  }
}

static void runs_of_alike_end_where_they_differ(const struct race_index *i) {
  uint32_t from, to;
  draw_run(&from, &to);
  uint32_t end = from + 1;
  while (end < to && race_index_at(i, end) == race_index_at(i, from))
    end++;
  assert_int_equal(race_index_alike(i, from, to), end);
}

static void pages_answer_like_granules(void **unused) {
  (void)unused;
  struct launch launch = {.cluster_count = CLUSTERS};
  struct granules *granules = calloc(1, sizeof *granules);
  struct race_shadow *s = race_create(&launch);
  assert_non_null(granules);
  struct race_page *page = race_page_find(s, 7, true);
  for (uint64_t step = 1; step <= STEPS; step++) {
    struct race_note note;
    uint32_t from, to;
    memset(&note, 0, sizeof note);
    note.cluster = 1 + draw(CLUSTERS);
    note.time = step;
    draw_run(&from, &to);
    if (draw(3)) {
      read_granules(granules, from, to, &note);
      race_note_read(s, page, from, to, &note);
    } else {
      write_granules(granules, from, to, &note);
      race_note_written(s, page, from, to, race_note_index(s, page, &note));
    }
    if (step % 16 == 0) expect_same(page, granules);
    runs_of_alike_end_where_they_differ(&page->writes);
    runs_of_alike_end_where_they_differ(&page->reads);
    runs_of_alike_end_where_they_differ(&page->reads_too);
  }
  race_destroy(s);
  free(granules);
}

// Bytes of the shadow, without those that its shares keep for later.
static size_t in_use(const struct race_shadow *s) {
  size_t bytes = s->memory.held;
  for (size_t i = 0; i < RACE_LOCKS; i++)
    bytes -= s->pieces[i].share.left;
  return bytes;
}

// Copies of whole pages need no array, and give back those that there were.
static void whole_pages_have_no_arrays(void **unused) {
  (void)unused;
  struct launch launch = {.cluster_count = CLUSTERS};
  struct race_shadow *s = race_create(&launch);
  struct race_page *page = race_page_find(s, 7, true);
  const size_t page_alone = in_use(s); // with the table that it stands in
  struct race_note note;
  memset(&note, 0, sizeof note);
  note.cluster = note.time = 1;
  race_note_read(s, page, 0, RACE_GRANULES, &note);
  race_note_written(s, page, 0, RACE_GRANULES, race_note_index(s, page, &note));
  const size_t least = in_use(s);
  assert_in_range(least - page_alone, 0, 1024);
  race_note_read(s, page, 3, 5, &note);
  assert_in_range(in_use(s), least + RACE_GRANULES, 4096);
  race_note_read(s, page, 0, RACE_GRANULES, &note);
  assert_int_equal(in_use(s), least);
  race_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pages_answer_like_granules),
      cmocka_unit_test(whole_pages_have_no_arrays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
