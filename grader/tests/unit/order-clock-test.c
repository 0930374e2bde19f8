// Clocks and shadow memory against plain models. Joins are maxima. Gathers are joins of many. Shadow granules
// remember which threads wrote and read.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/order/internal.h"

enum { AGENTS = 90, ROUNDS = 2000 };

static uint32_t random_below(uint64_t *state, uint32_t n) {
  return (uint32_t)(machine_random(state) % n);
}

// Some have no epochs that are visible to the async proxy, and then no array of them.
static struct clock *random_clock(uint64_t *state) {
  if (random_below(state, 10) == 0) return NULL; // the empty clock
  struct gather g = {0};
  const uint32_t count = 1 + random_below(state, AGENTS), shared = random_below(state, 2) * 5,
                 global = random_below(state, 2) * 5;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t visible[PROXY_SPACES] = {shared ? random_below(state, shared) : 0,
                                            global ? random_below(state, global) : 0};
    gather_raise(&g, i, random_below(state, 5), visible);
  }
  struct clock *c = gather_finish(&g);
  gather_free(&g);
  c->count = count;
  return c;
}

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static void test_join(void **unused) {
  (void)unused;
  uint64_t state = 1;
  struct join_cache cache = {0};
  for (int round = 0; round < ROUNDS; round++) {
    struct clock *a = random_clock(&state), *b = random_clock(&state);
    struct clock *joined = clock_join(&cache, a, b), *again = clock_join(&cache, a, b);
    for (uint32_t i = 0; i < AGENTS + 2; i++) {
      uint32_t expected = larger(clock_seen(a, i), clock_seen(b, i));
      assert_int_equal(clock_seen(joined, i), expected);
      assert_int_equal(clock_seen(again, i), expected);
      for (enum proxy_space s = 0; s < PROXY_SPACES; s++)
        assert_int_equal(clock_visible(joined, s, i), larger(clock_visible(a, s, i), clock_visible(b, s, i)));
    }
    clock_drop(joined);
    clock_drop(again);
    clock_drop(a);
    clock_drop(b);
  }
  join_cache_clear(&cache);
}

static void test_with_and_fence(void **unused) {
  (void)unused;
  uint64_t state = 2;
  for (int round = 0; round < ROUNDS; round++) {
    struct clock *c = random_clock(&state);
    uint32_t agent = random_below(&state, AGENTS), epoch = random_below(&state, 9);
    struct clock *raised = clock_with(c, agent, epoch);
    bool shared = random_below(&state, 2), global = random_below(&state, 2);
    struct clock *fenced = clock_fence(raised, shared, global);
    for (uint32_t i = 0; i < AGENTS; i++) {
      uint32_t seen = i == agent ? larger(clock_seen(c, i), epoch) : clock_seen(c, i);
      assert_int_equal(clock_seen(raised, i), seen);
      assert_int_equal(clock_seen(fenced, i), seen);
      uint32_t was = clock_visible(c, PROXY_SHARED, i);
      assert_int_equal(clock_visible(fenced, PROXY_SHARED, i), shared ? larger(seen, was) : was);
      was = clock_visible(c, PROXY_GLOBAL, i);
      assert_int_equal(clock_visible(fenced, PROXY_GLOBAL, i), global ? larger(seen, was) : was);
    }
    clock_drop(fenced);
    clock_drop(raised);
    clock_drop(c);
  }
}

static void test_gather(void **unused) {
  (void)unused;
  uint64_t state = 3;
  struct gather g = {0};
  assert_null(gather_finish(&g));
  for (int round = 0; round < 300; round++) {
    uint32_t seen[AGENTS + 1] = {0}, visible[PROXY_SPACES][AGENTS] = {{0}};
    for (int n = 0; n < 6; n++) {
      struct clock *c = random_clock(&state);
      uint32_t agent = random_below(&state, AGENTS), epoch = 1 + random_below(&state, 9);
      gather_clock(&g, c);
      gather_clock(&g, c); // gathering the same clock again costs nothing and changes nothing
      gather_raise(&g, agent, epoch, NULL);
      for (uint32_t i = 0; i < AGENTS; i++)
        seen[i] = larger(seen[i], clock_seen(c, i));
      for (enum proxy_space space = 0; space < PROXY_SPACES; space++)
        for (uint32_t i = 0; i < AGENTS; i++)
          visible[space][i] = larger(visible[space][i], clock_visible(c, space, i));
      seen[agent] = larger(seen[agent], epoch);
      clock_drop(c);
    }
    struct clock *all = gather_finish(&g);
    for (uint32_t i = 0; i < AGENTS; i++)
      assert_int_equal(clock_seen(all, i), seen[i]);
    for (enum proxy_space space = 0; space < PROXY_SPACES; space++)
      for (uint32_t i = 0; i < AGENTS; i++)
        assert_int_equal(clock_visible(all, space, i), visible[space][i]);
    clock_drop(all);
    assert_null(gather_finish(&g)); // empty afterwards
  }
  gather_free(&g);
}

static void test_shadow_ranges(void **unused) {
  (void)unused;
  struct shadow s = {0};
  uint32_t first, count;
  shadow_begin(&s, 1000, false, false);
  assert_true(shadow_range(&s, SHARED_FIRST_OFFSET, 4, &first, &count));
  assert_int_equal(first, 0);
  assert_int_equal(count, 1);
  assert_true(shadow_range(&s, SHARED_FIRST_OFFSET + 6, 4, &first, &count)); // the range crosses a border
  assert_int_equal(first, 1);
  assert_int_equal(count, 2);
  assert_true(shadow_range(&s, SHARED_FIRST_OFFSET + 996, 4, &first, &count));
  assert_false(shadow_range(&s, SHARED_FIRST_OFFSET + 1000, 1, &first, &count));
  assert_false(shadow_range(&s, SHARED_FIRST_OFFSET + 990, 16, &first, &count));
  assert_false(shadow_range(&s, SHARED_FIRST_OFFSET - 4, 4, &first, &count));
  assert_false(shadow_range(&s, SHARED_FIRST_OFFSET, 0, &first, &count));
  assert_false(shadow_range(&s, UINT32_MAX, UINT32_MAX, &first, &count));
  shadow_free(&s);
}

static uint32_t readers_of(struct shadow *s, uint32_t granule) {
  uint32_t lanes = 0;
  for (uint32_t i = shadow_readers(s, granule); i; i = s->pool[i].next)
    lanes += (uint32_t)(__builtin_popcount(s->pool[i].mask) * __builtin_popcount(s->pool[i].warps));
  return lanes;
}

static void test_shadow_readers(void **unused) {
  (void)unused;
  struct shadow s = {0};
  struct op one = {0}, two = {0};
  shadow_begin(&s, 64, false, false);
  line_spell_out(&s, 0, 16);
  for (uint32_t lane = 0; lane < 32; lane++)
    shadow_read(&s, 3, 1, 1u << lane, 7, &one, false);
  assert_int_equal(readers_of(&s, 3), 32);
  shadow_read(&s, 3, 1, 1u << 5, 8, &two, false); // a later epoch takes the lane out of the earlier one
  shadow_read(&s, 3, 1, 1u << 5, 8, &two, false);
  assert_int_equal(readers_of(&s, 3), 32);
  shadow_read(&s, 3, 33, 1u << 5, 1, &one, false); // another warp
  assert_int_equal(readers_of(&s, 3), 33);
  shadow_read_by_store(&s, 3, &(struct shadow_reader){.op = &one, .agent = 70, .epoch = 1});
  shadow_read_by_store(&s, 3, &(struct shadow_reader){.op = &two, .agent = 70, .epoch = 2});
  uint32_t stores = 0;
  for (uint32_t i = shadow_readers(&s, 3); i; i = s.pool[i].next)
    stores += s.pool[i].mask == 0 && s.pool[i].epoch == 2;
  assert_int_equal(stores, 1);
  s.write_agent[3] = 9;
  shadow_refine(&s);
  for (uint32_t g = 12; g < 16; g++) {
    assert_int_equal(readers_of(&s, g), 33);
    assert_int_equal(s.write_agent[g], 9);
  }
  assert_int_equal(readers_of(&s, 11), 0);
  uint32_t used = s.pool_used;
  shadow_clear_readers(&s, 12);
  assert_int_equal(readers_of(&s, 12), 0);
  assert_int_equal(readers_of(&s, 13), 33);
  for (int i = 0; i < 1000; i++) { // entries are reused: the pool doesn't grow
    shadow_read(&s, 0, 1, 1, (uint32_t)i + 1, &one, false);
    shadow_clear_readers(&s, 0);
  }
  assert_int_equal(s.pool_used, used);
  shadow_free(&s);
}

// What a quick note stands for, once it is asked for.
static void check_quick(struct shadow *s, uint32_t g, const struct op *op, uint32_t mask, uint32_t warps) {
  const uint32_t head = shadow_readers(s, g);
  const struct shadow_reader *r = &s->pool[head];
  assert_ptr_equal(r->op, op);
  assert_int_equal(r->mask, mask);
  assert_int_equal(r->warps, warps);
  assert_int_equal(r->next, 0);
  assert_false(s->readers[g] & READER_QUICK);
}

static void note_quickly(struct shadow *s, uint32_t g, uint32_t kind, uint32_t lane, uint32_t warps) {
  s->readers[g] = quick_note(kind, lane);
  s->reader_warps[g] = warps;
}

static void test_quick_notes(void **unused) {
  (void)unused;
  struct shadow s = {0};
  static const struct op ops[QUICK_MOST + 1];
  struct clock *base = clock_create(4), *other = clock_create(4);
  shadow_begin(&s, 64, false, false);
  line_spell_out(&s, 0, 16);
  const uint32_t kind = quick_kind(&s, &ops[0], base, 1, 5);
  assert_int_equal(quick_kind(&s, &ops[0], base, 1, 5), kind);
  // another view, epoch, place or instruction is another kind
  assert_int_not_equal(quick_kind(&s, &ops[0], other, 1, 5), kind);
  assert_int_not_equal(quick_kind(&s, &ops[0], base, 1, 6), kind);
  assert_int_not_equal(quick_kind(&s, &ops[0], base, 1025, 5), kind);
  assert_int_not_equal(quick_kind(&s, &ops[1], base, 1, 5), kind);
  note_quickly(&s, 2, kind, 7, 5);
  check_quick(&s, 2, &ops[0], 1u << 7, 5);
  note_quickly(&s, 3, kind, QUICK_ALL_LANES, 1);
  shadow_read(&s, 3, 33, UINT32_MAX, 5, &ops[0], false); // a second warp
  check_quick(&s, 3, &ops[0], UINT32_MAX, 3);
  note_quickly(&s, 4, kind, 1, 2);
  for (uint32_t i = 0; i <= QUICK_MOST; i++) // the table is full, and begins anew
    quick_kind(&s, &ops[i], base, 1, 7);
  check_quick(&s, 4, &ops[0], 1u << 1, 2);
  assert_int_not_equal(quick_kind(&s, &ops[0], base, 1, 5), kind);
  // the next block takes no note of this one for its own, and holds no clock of it
  note_quickly(&s, 5, quick_kind(&s, &ops[0], base, 1, 5), 1, 2);
  quick_end(&s);
  assert_int_equal(base->references, 1);
  assert_int_equal(other->references, 1);
  assert_int_not_equal(quick_note(quick_kind(&s, &ops[0], base, 1, 5), 1), s.readers[5]);
  assert_int_equal(shadow_readers(&s, 5), 0);
  note_quickly(&s, 6, quick_kind(&s, &ops[0], base, 1, 5), 3, 4);
  shadow_refine(&s);
  for (uint32_t g = 24; g < 28; g++)
    check_quick(&s, g, &ops[0], 1u << 3, 4);
  shadow_free(&s);
  clock_drop(base);
  clock_drop(other);
}

// A line that two warps have read alike, each lane its own word.
static void test_quick_lines(void **unused) {
  (void)unused;
  enum { WORD_SHAPE = 128u << 24 | 2 << 16 }; // lane 0 has the first word; words of 4 bytes
  struct shadow s = {0};
  static const struct op op;
  struct clock *base = clock_create(97);
  shadow_begin(&s, 2 * LINE_BYTES, false, false);
  struct shadow_line *line = &s.lines[1];
  line->quick_kind = quick_kind(&s, &op, base, 1, 5);
  line->quick_shape = (uint32_t)WORD_SHAPE;
  line->quick_warps = 5;
  for (uint32_t agent = 1; agent <= 96; agent++)
    base->seen[agent] = agent > 32 && agent <= 64 ? 0 : 5; // warp 1 has read nothing
  assert_true(line_quick_seen(&s, line, base, NULL));
  base->seen[66] = 4;
  assert_false(line_quick_seen(&s, line, base, NULL));
  assert_false(line_quick_seen(&s, line, NULL, NULL));
  struct line_stamp self = {.agent = 65, .warp_agent = 65, .lane_shift = 2}; // its own reads come before
  assert_true(line_quick_seen(&s, line, base, &self));
  self.lane_shift = 3; // lanes that read other words
  assert_false(line_quick_seen(&s, line, base, &self));
  self = (struct line_stamp){.agent = 1, .warp_agent = 1, .lane_shift = 2};
  assert_false(line_quick_seen(&s, line, base, &self));
  line_spell_readers(&s, line);
  assert_int_equal(line->reader_count, 2);
  assert_int_equal(line->readers[1].agent, 65);
  assert_int_equal(line->readers[1].epoch, 5);
  assert_ptr_equal(line->readers[1].op, &op);
  assert_false(line_quick_seen(&s, line, base, NULL));
  line->reader_count = 0;
  line->quick_warps = 5;
  line_spell_out(&s, 32, 32);
  const uint32_t head = shadow_readers(&s, 35);
  assert_int_equal(s.pool[head].mask, 1u << 3);
  assert_int_equal(s.pool[head].warps, 5);
  line->detailed = false;
  line->quick_warps = 5;
  line_written(&s, 1, &(struct line_stamp){.op = &op, .agent = 1, .epoch = 6, .lane_shift = 2});
  assert_int_equal(line->quick_warps, 0);
  shadow_free(&s);
  clock_drop(base);
}

// The epoch at which the lane is noted; each lane must be noted once at most. 0: it isn't noted.
static uint32_t noted_at(const struct shadow *s, uint32_t granule, uint32_t warp_agent, uint32_t lane) {
  uint32_t epoch = 0;
  for (uint32_t i = s->readers[granule]; i; i = s->pool[i].next) {
    if (!reader_is(&s->pool[i], warp_agent + lane)) continue;
    assert_int_equal(epoch, 0);
    epoch = s->pool[i].epoch;
  }
  return epoch;
}

// Lanes of many warps read a granule, alone and together: each is noted with its last epoch, and nobody else.
static void test_shadow_read_together(void **unused) {
  (void)unused;
  struct shadow s = {0};
  struct op ops[2] = {0};
  uint32_t epoch[40][32] = {0}, clock = 1;
  uint64_t random = 1;
  shadow_begin(&s, 64, false, false);
  line_spell_out(&s, 0, 16);
  for (int round = 0; round < 5000; round++) {
    const uint32_t draw = (uint32_t)machine_random(&random), warp = draw % 40, agent = warp * 32 + 1;
    const uint32_t lanes = draw & 64 ? (uint32_t)machine_random(&random) : 1u << (draw >> 8) % 32;
    clock += draw >> 16 & 1;
    if (lanes & (lanes - 1))
      shadow_read_together(&s, 5, agent, lanes, clock, &ops[draw >> 17 & 1], false);
    else
      shadow_read(&s, 5, agent, lanes, clock, &ops[draw >> 17 & 1], false);
    for (uint32_t lane = 0; lane < 32; lane++)
      if (lanes >> lane & 1) epoch[warp][lane] = clock;
  }
  for (uint32_t i = 0; i < 40 * 32; i++)
    assert_int_equal(noted_at(&s, 5, i / 32 * 32 + 1, i % 32), epoch[i / 32][i % 32]);
  assert_true(s.pool_used < 2000); // what is left over is used again
  shadow_clear_readers(&s, 5);
  assert_int_equal(noted_at(&s, 5, 1, 0), 0);
  shadow_free(&s);
}

// A line that some lanes wrote, and that other lanes and a store read, before and after the line gets
// detailed records.
static void test_shadow_lines(void **unused) {
  (void)unused;
  struct shadow s = {0};
  struct op one = {0}, two = {0};
  shadow_begin(&s, 2 * LINE_BYTES, false, false);
  assert_int_equal(line_granules(&s), 32);
  struct line_stamp write = {
      .op = &one, .agent = 9, .epoch = 4, .thread = 8, .warp_agent = 1, .lane_shift = 4};
  line_written(&s, 1, &write);
  struct line_stamp read = {.op = &two, .agent = 33, .epoch = 2, .warp_agent = 33, .lane_shift = 2};
  assert_true(line_read(&s, &s.lines[1], &read));
  read.epoch = 3;
  assert_true(line_read(&s, &s.lines[1], &read)); // replaces the earlier read of the same agent
  assert_true(line_read(
      &s, &s.lines[1],
      &(struct line_stamp){.op = &one, .agent = 90, .epoch = 7, .thread = 5, .lane_shift = LINE_SHIFT}));
  assert_int_equal(s.lines[1].reader_count, 2);
  struct clock *c = clock_create(100);
  for (uint32_t agent = 9; agent < 17; agent++)
    c->seen[agent] = 4;
  assert_true(line_stamp_seen(&write, c, NO_AGENT));
  c->seen[16] = 3;
  assert_false(line_stamp_seen(&write, c, NO_AGENT));
  assert_true(line_stamp_seen(&write, c, 16)); // the write's own clock
  assert_false(line_readers_seen(&s.lines[1], c, NO_AGENT));
  clock_drop(c);
  line_spell_out(&s, 63, 1);
  assert_false(s.lines[0].detailed);
  for (uint32_t g = 32; g < 64; g++) {
    assert_int_equal(s.write_agent[g], 9 + (g - 32) / 4);
    assert_int_equal(s.write_thread[g], 8 + (g - 32) / 4);
    assert_int_equal(s.write_epoch[g], 4);
    const struct shadow_reader *store = &s.pool[s.readers[g]], *lane = &s.pool[store->next];
    assert_int_equal(store->agent, 90);
    assert_int_equal(store->thread, 5);
    assert_int_equal(lane->mask, 1u << (g - 32));
    assert_int_equal(lane->epoch, 3);
  }
  line_written(&s, 1, &write); // the line is one record again, and the readers are gone
  assert_false(s.lines[1].detailed);
  line_spell_out(&s, 32, 1);
  assert_int_equal(readers_of(&s, 40), 0);
  for (uint32_t n = 0; n < LINE_READERS; n++)
    assert_true(line_read(&s, &s.lines[0], &(struct line_stamp){.agent = n + 1, .lane_shift = LINE_SHIFT}));
  assert_false(line_read(&s, &s.lines[0], &(struct line_stamp){.agent = 500, .lane_shift = LINE_SHIFT}));
  shadow_free(&s);
}

// A warp reads 32 words from word 8 of a line on: lanes 0 to 23 in this line, the others in the next one.
static void test_shadow_rows(void **unused) {
  (void)unused;
  struct shadow s = {0};
  struct op one = {0};
  shadow_begin(&s, 2 * LINE_BYTES, false, false);
  const struct line_stamp begins = {
      .op = &one, .agent = 33 - 8, .epoch = 3, .warp_agent = 33, .lane_shift = 2, .skip = 32};
  const struct line_stamp ends = {
      .op = &one, .agent = 33 + 24, .epoch = 3, .warp_agent = 33, .lane_shift = 2, .skip_end = 96};
  assert_true(line_read(&s, &s.lines[0], &begins));
  assert_true(line_read(&s, &s.lines[0], &ends)); // another part of a line is another reader
  assert_int_equal(s.lines[0].reader_count, 2);
  s.lines[0].reader_count = 1;
  assert_true(line_read(&s, &s.lines[1], &ends));
  struct clock *c = clock_create(100);
  for (uint32_t lane = 0; lane < 24; lane++)
    c->seen[33 + lane] = 3;
  assert_true(line_stamp_seen(&begins, c, NO_AGENT)); // nobody else counts
  assert_false(line_stamp_seen(&ends, c, NO_AGENT));
  c->seen[33] = 2;
  assert_false(line_stamp_seen(&begins, c, NO_AGENT));
  assert_true(line_stamp_seen(&begins, c, 33));
  assert_false(line_stamp_seen(&begins, c, 34));
  clock_drop(c);
  line_spell_out(&s, 0, 64);
  for (uint32_t g = 0; g < 64; g++) {
    const bool is_read = g >= 8 && g < 40;
    assert_int_equal(readers_of(&s, g), is_read);
    if (is_read) assert_int_equal(noted_at(&s, g, 33, g - 8), 3);
  }
  shadow_free(&s);
}

static void test_least(void **unused) {
  (void)unused;
  struct clock *c = clock_create(80);
  for (uint32_t agent = 0; agent < 80; agent++)
    c->seen[agent] = 100 - agent;
  assert_int_equal(clock_least(c, 1, 64), 36);
  assert_int_equal(clock_least(c, 1, 10), 90); // not the answer to another question
  assert_int_equal(clock_least(c, 33, 10), 58);
  assert_int_equal(clock_least(c, 17, 64), 0); // beyond its end nobody has been seen
  assert_int_equal(clock_least(NULL, 1, 1), 0);
  clock_drop(c);
}

struct visited {
  uint32_t count, agent[8], thread[8];
};
static void visit_note(const struct global_write *note, uint64_t address, void *context) {
  struct visited *v = context;
  (void)address;
  assert_true(v->count < 8);
  v->agent[v->count] = note->agent;
  v->thread[v->count++] = note->thread;
}

// A row of lanes is one note; whoever visits it sees each lane, across the end of a page as well.
static void test_global_rows(void **unused) {
  (void)unused;
  struct launch launch = {0};
  struct global_shadow *shadow = global_create(&launch);
  struct global_write row;
  memset(&row, 0, sizeof row);
  row.cluster = 1;
  row.agent = 40;
  row.thread = 39;
  row.state = NOTE_ROW | 1u << NOTE_ROW_SIZE | 1020u << NOTE_ROW_FIRST; // 8 bytes a lane
  const uint64_t address = 4096 * 7 + 1020 * 4;
  global_note(shadow, address, 32 * 8, &row);
  struct visited all = {0};
  global_visit(shadow, address + 8, 4 * 8, visit_note, &all); // the last lane of a page, three of the next
  assert_int_equal(all.count, 4);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(all.agent[i], 41 + i);
    assert_int_equal(all.thread[i], 40 + i);
  }
  global_free(shadow);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shadow_lines),
      cmocka_unit_test(test_join),
      cmocka_unit_test(test_with_and_fence),
      cmocka_unit_test(test_gather),
      cmocka_unit_test(test_shadow_read_together),
      cmocka_unit_test(test_shadow_ranges),
      cmocka_unit_test(test_shadow_readers),
      cmocka_unit_test(test_quick_notes),
      cmocka_unit_test(test_quick_lines),
      cmocka_unit_test(test_shadow_rows),
      cmocka_unit_test(test_least),
      cmocka_unit_test(test_global_rows),
  };
  return cmocka_run_group_tests_name("order-clock", tests, NULL, NULL);
}
