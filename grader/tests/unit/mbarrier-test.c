// Barriers: random operations against a model of three counters; tokens; limits; and every fault by its rule.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake-cluster.h"

enum { AT = SHARED_FIRST_OFFSET + 64 };

static const struct mbarrier_arrival once = {.count = 1, .release = true};

static bool init(struct fake_cluster *f, uint32_t count) {
  return mbarrier_init(actor_of(&f->warps[0][0], &f->op, 0), &f->blocks[0], AT, count);
}
static bool arrive(struct fake_cluster *f, struct mbarrier_arrival a, uint64_t *state) {
  return mbarrier_arrive(actor_of(&f->warps[0][0], &f->op, 0), &f->blocks[0], AT, &a, state);
}
static bool expect(struct fake_cluster *f, uint32_t bytes) {
  return mbarrier_expect_tx(actor_of(&f->warps[0][0], &f->op, 0), &f->blocks[0], AT, bytes);
}
static bool complete(struct fake_cluster *f, uint32_t bytes) {
  return mbarrier_simulate_complete_tx(actor_of(&f->warps[0][0], &f->op, 0), &f->blocks[0], AT, bytes);
}
static struct mbarrier *barrier(struct fake_cluster *f) {
  return mbarrier_find(&f->blocks[0], AT);
}
static void observe(struct fake_cluster *f) {
  mbarrier_observe(&f->warps[0][0], &f->op, 1, &f->blocks[0], barrier(f), true);
}

struct model {
  int64_t expected, pending, tx;
  uint64_t phase;
};

static void model_settle(struct model *m) {
  if (m->pending != 0 || m->tx != 0) return;
  m->phase++;
  m->pending = m->expected;
}

// Models an arrival when the phase still has pending arrivals. Else ends the phase.
static void model_arrive(struct fake_cluster *f, struct model *m, uint32_t count, uint32_t bytes) {
  if (count > m->pending) {
    assert_true(complete(f, 0)); // the rest of the bytes, so that the phase ends
    if (m->tx > 0) complete(f, (uint32_t)m->tx);
    if (m->tx < 0) expect(f, (uint32_t)-m->tx);
    m->tx = 0;
    return;
  }
  bool drop = rand() % 16 == 0;
  uint64_t token = 0;
  struct mbarrier_arrival a = {
      .count = count, .expect_bytes = rand() % 2 ? bytes : 0, .drop = drop, .release = true};
  assert_true(arrive(f, a, &token));
  assert_int_equal(mbarrier_token_pending(token), m->pending);
  assert_int_equal(mbarrier_token_parity(token), m->phase & 1);
  m->tx += a.expect_bytes;
  m->pending -= count;
  if (drop) m->expected = m->expected > count ? m->expected - count : 0;
}

static void follows_the_model(void **state) {
  (void)state;
  struct fake_cluster *f = fake_cluster_make(1, 1);
  srand(7);
  for (int life = 0; life < 300; life++) {
    struct model m = {.expected = 1 + rand() % 20};
    m.pending = m.expected;
    assert_true(init(f, (uint32_t)m.expected));
    for (int step = 0; step < 200 && m.expected > 0; step++) {
      uint32_t bytes = (uint32_t)(rand() % 4) * 16, count = 1 + (uint32_t)rand() % 3;
      uint64_t events = f->cluster.events, phase = m.phase;
      observe(f);
      switch (rand() % 4) {
      case 0:
        assert_true(expect(f, bytes));
        m.tx += bytes;
        break;
      case 1:
        assert_true(complete(f, bytes));
        m.tx -= bytes;
        break;
      default: model_arrive(f, &m, count, bytes);
      }
      model_settle(&m);
      assert_int_equal(barrier(f)->phase, m.phase);
      assert_int_equal(barrier(f)->pending_arrivals, m.pending);
      assert_int_equal(barrier(f)->tx_count, m.tx);
      assert_int_equal(f->cluster.events != events, m.phase != phase);
      assert_int_equal(mbarrier_parity_passed(barrier(f), 0), m.phase & 1);
      assert_int_equal(mbarrier_parity_passed(barrier(f), 1), !(m.phase & 1));
    }
    if (barrier(f)->live)
      assert_true(mbarrier_inval(actor_of(&f->warps[0][0], &f->op, 0), &f->blocks[0], AT));
    assert_int_equal(fake_faults_all(f), 0);
  }
  assert_int_equal(f->cluster.observed.barriers_initialised, 300);
  fake_cluster_free(f);
}

static void holds_the_limits(void **state) {
  (void)state;
  struct fake_cluster *f = fake_cluster_make(1, 1);
  assert_true(init(f, MBARRIER_MAX_COUNT));
  assert_true(expect(f, MBARRIER_MAX_COUNT));
  assert_false(expect(f, 1));
  assert_int_equal(fake_faults(f, "barrier-value"), 1);
  fake_faults_clear(f);
  assert_true(complete(f, MBARRIER_MAX_COUNT));
  assert_true(complete(f, MBARRIER_MAX_COUNT));
  assert_false(complete(f, 1));
  assert_int_equal(fake_faults(f, "barrier-value"), 1);
  fake_faults_clear(f);
  assert_true(expect(f, MBARRIER_MAX_COUNT));
  struct mbarrier_arrival all = {.count = MBARRIER_MAX_COUNT};
  assert_true(arrive(f, all, NULL));
  assert_int_equal(barrier(f)->phase, 1);
  fake_cluster_free(f);
}

static void reports_faults(void **state) {
  (void)state;
  struct fake_cluster *f = fake_cluster_make(1, 1);
  uint64_t token;
  assert_false(arrive(f, once, &token));
  assert_int_equal(fake_faults(f, "barrier-not-initialised"), 1);
  assert_true(f->cluster.device_error != 0);
  fake_faults_clear(f);
  assert_false(init(f, 0));
  assert_false(init(f, MBARRIER_MAX_COUNT + 1));
  assert_true(fake_faults(f, "barrier-value") >= 1);
  fake_faults_clear(f);
  assert_true(init(f, 2));
  assert_true(init(f, 2));
  assert_int_equal(fake_faults(f, "barrier-reinit"), 1);
  assert_int_equal(f->cluster.device_error, 0);
  fake_faults_clear(f);
  assert_true(mbarrier_inval(actor_of(&f->warps[0][0], &f->op, 0), &f->blocks[0], AT));
  assert_false(expect(f, 16));
  assert_int_equal(fake_faults(f, "barrier-not-initialised"), 1);
  fake_faults_clear(f);
  assert_true(init(f, 1));
  assert_true(arrive(f, once, &token));
  assert_true(arrive(f, once, &token)); // no thread observed phase 0
  assert_int_equal(fake_faults(f, "unobserved-phase"), 1);
  fake_faults_clear(f);
  observe(f);
  assert_true(expect(f, 32));
  assert_true(arrive(f, once, &token)); // the pending bytes keep the phase open
  assert_false(arrive(f, once, &token));
  assert_int_equal(fake_faults(f, "arrival-count"), 1);
  fake_faults_clear(f);
  assert_true(complete(f, 32));
  observe(f);
  struct mbarrier_arrival no_complete = {.count = 1, .no_complete = true};
  assert_false(arrive(f, no_complete, &token));
  assert_int_equal(fake_faults(f, "arrival-count"), 1);
  fake_cluster_free(f);
}

static void sees_writes_over_it(void **state) {
  (void)state;
  struct fake_cluster *f = fake_cluster_make(1, 1);
  struct block *b = &f->blocks[0];
  assert_false(mbarrier_may_overlap(b, AT, 8));
  assert_true(init(f, 3));
  for (uint32_t offset = AT - 40; offset < AT + 40; offset++) {
    for (uint32_t bytes = 1; bytes <= 24; bytes++) {
      bool granule = offset / 8 * 8 <= AT && (offset + bytes - 1) / 8 * 8 >= AT;
      assert_int_equal(mbarrier_may_overlap(b, offset, bytes), granule);
      assert_int_equal(mbarrier_overlapped(b, offset, bytes) != NULL, granule);
    }
  }
  assert_true(mbarrier_may_overlap(b, SHARED_FIRST_OFFSET, FAKE_SHARED_BYTES));
  b->shared[AT - SHARED_FIRST_OFFSET + 3] ^= 1;
  uint64_t token;
  assert_true(arrive(f, once, &token));
  assert_int_equal(fake_faults(f, "barrier-overwritten"), 1);
  assert_true(arrive(f, once, &token)); // after the report the run goes on
  assert_int_equal(fake_faults_all(f), 1);
  fake_faults_clear(f);
  mbarrier_overwritten(actor_of(&f->warps[0][1], &f->op, 5), b, AT + 4, 4);
  assert_int_equal(fake_faults(f, "barrier-overwritten"), 1);
  assert_true(mbarrier_inval(actor_of(&f->warps[0][0], &f->op, 0), b, AT));
  assert_false(mbarrier_may_overlap(b, AT, 8));
  fake_cluster_free(f);
}

static void note_offset(struct mbarrier *m, void *context) {
  uint32_t **next = context;
  *(*next)++ = m->offset;
}

static void visits_in_order(void **state) {
  (void)state;
  struct fake_cluster *f = fake_cluster_make(1, 1);
  const uint32_t offsets[] = {8000, 1024, 33784, 1032, 1536, 4096};
  uint32_t seen[8], *next = seen;
  for (int i = 0; i < 6; i++)
    assert_true(mbarrier_init(actor_of(&f->warps[0][0], &f->op, 0), &f->blocks[0], offsets[i], 1));
  assert_true(mbarrier_inval(actor_of(&f->warps[0][0], &f->op, 0), &f->blocks[0], 4096));
  mbarrier_each(&f->blocks[0], note_offset, &next);
  assert_int_equal(next - seen, 5);
  const uint32_t sorted[] = {1024, 1032, 1536, 8000, 33784};
  for (int i = 0; i < 5; i++)
    assert_int_equal(seen[i], sorted[i]);
  fake_cluster_free(f);
}

static void diagnoses(void **state) {
  (void)state;
  struct fake_cluster *f = fake_cluster_make(1, 1);
  struct fault fault;
  uint64_t token;
  assert_true(init(f, 3));
  assert_false(mbarrier_diagnose(&f->blocks[0], barrier(f), false, &fault));
  assert_true(arrive(f, once, &token));
  assert_true(mbarrier_diagnose(&f->blocks[0], barrier(f), false, &fault));
  assert_int_equal(fault.rule, RULE_DEADLOCK);
  assert_non_null(strstr(fault.message, "needs 3 arrivals and has had 1"));
  struct mbarrier_arrival two = {.count = 2, .expect_bytes = 1024};
  assert_true(arrive(f, two, &token));
  assert_true(complete(f, 512));
  assert_true(mbarrier_diagnose(&f->blocks[0], barrier(f), false, &fault));
  assert_int_equal(fault.rule, RULE_BYTES_ANNOUNCED);
  assert_non_null(strstr(fault.message, "512 too many"));
  assert_non_null(strstr(fault.message, "announced twice"));
  assert_true(complete(f, 1024));
  assert_true(mbarrier_diagnose(&f->blocks[0], barrier(f), false, &fault));
  assert_non_null(strstr(fault.message, "512 too few"));
  char text[256];
  mbarrier_describe(&f->blocks[0], barrier(f), text, sizeof text);
  assert_non_null(strstr(text, "phase 0, 0 of 3 arrivals owed, 512 bytes more landed than were announced"));
  fake_cluster_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(follows_the_model), cmocka_unit_test(holds_the_limits),
      cmocka_unit_test(reports_faults),    cmocka_unit_test(sees_writes_over_it),
      cmocka_unit_test(visits_in_order),   cmocka_unit_test(diagnoses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
