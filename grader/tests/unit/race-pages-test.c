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

enum { STEPS = 6000, CLUSTERS = 3 };

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

// A whole page, a run that begins or ends with it, some lines, or any run.
static void draw_run(uint32_t *from, uint32_t *to) {
  const bool lines = draw(3) == 0;
  const uint32_t a = draw(RACE_GRANULES + 1), b = draw(RACE_GRANULES + 1), how = draw(4);
  *from = how < 2 ? 0 : a < b ? a : b;
  *to = how % 2 == 0 ? RACE_GRANULES : a < b ? b : a;
  if (lines) *from -= *from % RACE_LINE, *to -= *to % RACE_LINE;
  if (*from == *to) *from = 0, *to = RACE_GRANULES;
}

static void expect(const struct race_shadow *s, uint32_t note, uint64_t cluster, uint64_t time) {
  assert_int_equal(note != 0, cluster != 0);
  if (!note) return;
  assert_int_equal(race_note_at(s, note)->cluster, cluster);
  assert_int_equal(race_note_at(s, note)->time, time);
}

static void expect_same(const struct race_shadow *s, const struct race_page *page, const struct granules *g) {
  for (uint32_t n = 0; n < RACE_GRANULES; n++) {
    expect(s, race_index_at(&page->writes, n), g->written[n].cluster, g->written[n].time);
    expect(s, race_index_at(&page->reads, n), g->read[n].cluster, g->read[n].time);
    expect(s, race_index_at(&page->reads_too, n), g->read_too[n].cluster, g->read_too[n].time);
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
    const uint32_t number = race_note_make(s, page->number, &note);
    if (draw(3)) {
      read_granules(granules, from, to, &note);
      race_note_read(s, page, from, to, number);
    } else {
      write_granules(granules, from, to, &note);
      race_note_written(s, page, from, to, number);
    }
    if (step % 64 == 0) {
      atomic_store(&s->crowded, true); // notes that are gone are given out again; the others stay as they are
      race_collect(s);
    }
    if (step % 16 == 0) expect_same(s, page, granules);
    runs_of_alike_end_where_they_differ(&page->writes);
    runs_of_alike_end_where_they_differ(&page->reads);
    runs_of_alike_end_where_they_differ(&page->reads_too);
  }
  assert_in_range(s->notes.made, 1, 4096); // not one for each step
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

// Copies of whole pages need no array, and give back those that there were; a line that is read as a whole
// needs the page's lines alone.
static void whole_pages_have_no_arrays(void **unused) {
  (void)unused;
  struct launch launch = {.cluster_count = CLUSTERS};
  struct race_shadow *s = race_create(&launch);
  struct race_page *page = race_page_find(s, 7, true);
  struct race_note note;
  memset(&note, 0, sizeof note);
  note.cluster = note.time = 1;
  const uint32_t number = race_note_make(s, 7, &note);
  const size_t least = in_use(s);
  race_note_read(s, page, 0, RACE_GRANULES, number);
  race_note_written(s, page, 0, RACE_GRANULES, number);
  assert_int_equal(in_use(s), least);
  race_note_read(s, page, RACE_LINE, 3 * RACE_LINE, number);
  const size_t lines = in_use(s);
  assert_in_range(lines, least + 1, least + RACE_LINES * sizeof(union race_line));
  race_note_read(s, page, 3, 5, number);
  assert_in_range(in_use(s), lines + 1, lines + RACE_LINE * sizeof(uint32_t));
  race_note_read(s, page, 0, RACE_GRANULES, number);
  assert_int_equal(in_use(s), least);
  race_destroy(s);
}

// Words that lie far apart, each in a page of its own, cost some hundred bytes, however many notes they have.
static void words_far_apart_cost_little(void **unused) {
  (void)unused;
  enum { WORDS = 1000, MOST = 700 };
  struct launch launch = {.cluster_count = CLUSTERS};
  struct race_shadow *s = race_create(&launch);
  struct race_note note;
  memset(&note, 0, sizeof note);
  note.cluster = 1;
  for (uint32_t n = 0; n < WORDS; n++) {
    struct race_page *page = race_page_find(s, n, true);
    note.time = n;
    race_note_read(s, page, n, n + 1, race_note_make(s, n, &note));
  }
  assert_in_range(in_use(s), 1, (size_t)WORDS * MOST);
  race_destroy(s);
}

static struct race_copy *make_copy(struct race_shadow *s, uint64_t name, uint32_t *number) {
  const struct race_copy copy = {.name = name, .cluster = 2};
  *number = race_copy_make(s, &copy);
  return race_copy_at(s, *number);
}

// By a wait of warp 3 in its epoch 4, if `done` is a time.
static void end_copy(struct race_shadow *s, uint32_t copy, uint32_t cluster, uint64_t name, uint64_t done) {
  race_copy_ends(s, copy,
                 &(struct race_copy){.cluster = cluster, .name = name, .done = done, .warp = 3, .epoch = 4});
}

// A copy keeps its number until it has landed, and as long as a note speaks of it; then another one gets it,
// and what is told of the old one means nothing to it.
static void copies_stay_while_they_matter(void **unused) {
  (void)unused;
  struct launch launch = {.cluster_count = CLUSTERS};
  struct race_shadow *s = race_create(&launch);
  struct race_page *page = race_page_find(s, 7, true);
  uint32_t first, second, third;
  const struct race_copy *noted = make_copy(s, 1, &first), *on_its_way = make_copy(s, 2, &second);
  struct race_note note;
  memset(&note, 0, sizeof note);
  note.cluster = 2;
  note.copy = first;
  race_note_written(s, page, 0, 3, race_note_make(s, 7, &note));
  end_copy(s, first, 2, 1, RACE_PENDING);
  for (int i = 0; i < 2; i++) {
    atomic_store(&s->crowded, true);
    race_collect(s);
  }
  assert_true(atomic_load(&noted->landed) && atomic_load(&noted->done) == RACE_PENDING);
  assert_int_equal(noted->warp, 0);
  assert_false(atomic_load(&on_its_way->landed));
  end_copy(s, first, 2, 1, 5);
  assert_int_equal(atomic_load(&noted->done), 5);
  assert_true(noted->warp == 3 && noted->epoch == 4);
  end_copy(s, second, 2, 2, RACE_PENDING);
  atomic_store(&s->crowded, true);
  race_collect(s);
  const struct race_copy *next = make_copy(s, 3, &third);
  assert_int_equal(third, second);
  end_copy(s, second, 2, 2, 9);
  assert_true(!atomic_load(&next->landed) && atomic_load(&next->done) == RACE_PENDING);
  race_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pages_answer_like_granules),
      cmocka_unit_test(whole_pages_have_no_arrays),
      cmocka_unit_test(words_far_apart_cost_little),
      cmocka_unit_test(copies_stay_while_they_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
