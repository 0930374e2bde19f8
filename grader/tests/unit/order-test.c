// The happens-before engine, driven by scripts. A script says what threads, barriers and copies do, in
// execution order, and which rule must be reported, or that no rule must be. One idea: a script is a line of
// words, so that every rule has many scripts that break the rule and many that keep it.
//   w4@0 r4@0   thread 4 writes, reads word 0 of shared memory
//   v V         the same, volatile
//   a           an atomic
//   A R         release, acquire atomics
//   g4@0 h4@0   thread 4 writes, reads word 0 of global memory
//   x4@0        volatile read of global memory
//   B  y0       the block's barrier; the barrier of warp 0
//   n0 c0       thread 0 arrives at, waits for named barrier 1 (two threads)
//   f4 F4 m4    thread 4: proxy fence for shared, for global memory; membar
//   i0 I0       thread 0 initialises barrier 0 (1 arrival), barrier 1 (2 arrivals)
//   e0          thread 0 announces a tile and arrives on barrier 0
//   t0 T0       thread 0 arrives on barrier 1, on barrier 0
//   o4 O4       thread 4 has waited for barrier 0, 1
//   l0@0 L0@0   thread 0 loads a tile (64 words of global memory from word 0) to word 0, on barrier 0;
//               l lands when the barrier's phase completes
//   s0@0        thread 0 stores the tile at word 0 to global word 1024, as a group
//   u0 U0       thread 0 waits for all reads of its stores; for all their writes
//   k4@0 q4     thread 4: cp.async of a tile to word 0; waits for the copy
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake-cluster.h"
#include "virtual-hopper/async/internal.h"
#include "virtual-hopper/order/internal.h"

enum {
  TILE_BYTES = 256,
  MOST_COPIES = 32,
  BARRIER_0 = SHARED_FIRST_OFFSET + 16384,
  BARRIER_1 = BARRIER_0 + 8
};

struct script {
  struct fake_cluster *f;
  struct op ops[128]; // one operation for each letter, each at a separate place in the source
  struct ptx_instruction sources[128];
  struct async_copy copies[MOST_COPIES];
  uint32_t copy_count, waited[FAKE_THREADS];
  uint64_t generation, named_generation;
};

static struct script *script_begin(void) {
  struct script *s = calloc(1, sizeof *s);
  s->f = fake_cluster_make(1, 1);
  s->f->launch.check = true;
  order_launch_begin(&s->f->launch);
  order_track_global(s->f->launch.order, true);
  order_block_begin(&s->f->blocks[0]);
  for (int i = 0; i < 128; i++) {
    s->sources[i] = (struct ptx_instruction){.location = -1, .ptx_line = (uint32_t)i, .text = "op"};
    s->ops[i].source = &s->sources[i];
  }
  return s;
}

static void script_end(struct script *s) {
  order_block_end(&s->f->blocks[0]);
  order_launch_end(&s->f->launch);
  s->f->launch.check = false;
  fake_cluster_free(s->f);
  free(s);
}

static void touch(struct script *s, char what, uint32_t thread, uint32_t word, enum order_kind kind,
                  enum order_strength strength) {
  uint32_t offset[WARP_LANES] = {0}, lane = thread % 32;
  offset[lane] = SHARED_FIRST_OFFSET + word * 4;
  order_shared_access(&s->f->warps[0][thread / 32], &s->ops[(int)what], 1u << lane, &s->f->blocks[0], offset,
                      4, kind, strength, NULL);
}

static void touch_global(struct script *s, char what, uint32_t thread, uint32_t word, enum order_kind kind,
                         enum order_strength strength) {
  uint64_t address[WARP_LANES] = {0};
  uint32_t lane = thread % 32;
  address[lane] = GLOBAL_BASE + word * 4;
  order_global_access(&s->f->warps[0][thread / 32], &s->ops[(int)what], 1u << lane, address, 4, kind,
                      strength, NULL);
}

static void block_barrier(struct script *s) {
  for (int w = 0; w < 2; w++)
    order_cta_barrier_arrive(&s->f->warps[0][w], UINT32_MAX, 0, s->generation);
  for (int w = 0; w < 2; w++)
    order_cta_barrier_leave(&s->f->warps[0][w], UINT32_MAX, 0, s->generation);
  s->generation++;
}

static void issue(struct script *s, char what, uint32_t thread, uint32_t word, enum async_kind kind,
                  uint32_t barrier) {
  assert_true(s->copy_count < MOST_COPIES);
  struct async_copy *copy = &s->copies[s->copy_count++];
  *copy = (struct async_copy){.kind = kind,
                              .op = &s->ops[(int)what],
                              .block = &s->f->blocks[0],
                              .thread = thread,
                              .bytes = TILE_BYTES,
                              .footprint = TILE_BYTES,
                              .global_address = GLOBAL_BASE + (async_is_store(kind) ? 4096 : 0),
                              .shared_offset = SHARED_FIRST_OFFSET + word * 4,
                              .mbarrier_offset = barrier};
  if (barrier) {
    copy->destination[0] = &s->f->blocks[0];
    copy->destination_count = 1;
  }
  order_copy_issue(actor_of(&s->f->warps[0][thread / 32], copy->op, thread % 32), copy);
}

static void arrive_on(struct script *s, char what, uint32_t thread, uint32_t barrier, uint32_t bytes) {
  struct mbarrier_arrival a = {.count = 1, .expect_bytes = bytes, .release = true};
  mbarrier_arrive(actor_of(&s->f->warps[0][thread / 32], &s->ops[(int)what], thread % 32), &s->f->blocks[0],
                  barrier, &a, NULL);
}

// All loads on the barrier land as soon as a thread has waited: the phase completes then.
static void observe(struct script *s, char what, uint32_t thread, uint32_t barrier) {
  struct mbarrier *m = mbarrier_find(&s->f->blocks[0], barrier);
  assert_non_null(m);
  if (m->tx_count > 0)
    mbarrier_simulate_complete_tx(actor_of(&s->f->warps[0][0], &s->ops[(int)what], 0), &s->f->blocks[0],
                                  barrier, (uint32_t)m->tx_count);
  mbarrier_observe(&s->f->warps[0][thread / 32], &s->ops[(int)what], 1u << thread % 32, &s->f->blocks[0], m,
                   true);
}

static void wait_for_copies(struct script *s, uint32_t thread, bool cp_async, bool read_only) {
  struct async_copy *own[MOST_COPIES];
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->copy_count; i++)
    if (s->copies[i].thread == thread && (s->copies[i].kind == ASYNC_CP_ASYNC) == cp_async &&
        s->copies[i].mbarrier_offset == 0) {
      s->copies[i].written |= !read_only;
      own[count++] = &s->copies[i];
    }
  order_group_wait(&s->f->warps[0][thread / 32], thread % 32, own, count, read_only);
}

static void synchronise(struct script *s, char what, uint32_t t) {
  struct warp *w = &s->f->warps[0][t / 32];
  const struct op *op = &s->ops[(int)what];
  uint32_t lane = t % 32, bit = 1u << lane;
  switch (what) {
  case 'B': block_barrier(s); break;
  case 'y': order_warp_sync(&s->f->warps[0][t], UINT32_MAX); break;
  case 'n': order_cta_barrier_arrive(w, bit, 1, s->named_generation); break;
  case 'c': order_cta_barrier_leave(w, bit, 1, s->named_generation++); break;
  case 'f': order_fence_proxy_async(w, NULL, bit, (struct proxy_reach){.shared = true}); break;
  case 'F': order_fence_proxy_async(w, NULL, bit, (struct proxy_reach){.global = true}); break;
  case 'm': order_fence(w, NULL, bit, ORDER_ACQ_REL, false); break;
  case 'i': mbarrier_init(actor_of(w, op, lane), &s->f->blocks[0], BARRIER_0, 1); break;
  case 'I': mbarrier_init(actor_of(w, op, lane), &s->f->blocks[0], BARRIER_1, 2); break;
  case 'e': arrive_on(s, what, t, BARRIER_0, TILE_BYTES); break;
  case 'T': arrive_on(s, what, t, BARRIER_0, 0); break;
  case 't': arrive_on(s, what, t, BARRIER_1, 0); break;
  case 'o': observe(s, what, t, BARRIER_0); break;
  case 'O': observe(s, what, t, BARRIER_1); break;
  case 'u': wait_for_copies(s, t, false, true); break;
  case 'U': wait_for_copies(s, t, false, false); break;
  case 'q': wait_for_copies(s, t, true, false); break;
  default: fail_msg("unknown word %c%u", what, t);
  }
}

static void perform(struct script *s, char what, uint32_t t, uint32_t word) {
  switch (what) {
  case 'w': touch(s, what, t, word, ORDER_WRITE, ORDER_WEAK); break;
  case 'r': touch(s, what, t, word, ORDER_READ, ORDER_WEAK); break;
  case 'v': touch(s, what, t, word, ORDER_WRITE, ORDER_RELAXED); break;
  case 'V': touch(s, what, t, word, ORDER_READ, ORDER_RELAXED); break;
  case 'a': touch(s, what, t, word, ORDER_ATOMIC, ORDER_RELAXED); break;
  case 'A': touch(s, what, t, word, ORDER_ATOMIC, ORDER_RELEASE); break;
  case 'R': touch(s, what, t, word, ORDER_READ, ORDER_ACQUIRE); break;
  case 'g': touch_global(s, what, t, word, ORDER_WRITE, ORDER_WEAK); break;
  case 'h': touch_global(s, what, t, word, ORDER_READ, ORDER_WEAK); break;
  case 'x': touch_global(s, what, t, word, ORDER_READ, ORDER_RELAXED); break;
  case 'l': issue(s, what, t, word, ASYNC_BULK_LOAD, BARRIER_0); break;
  case 's': issue(s, what, t, word, ASYNC_BULK_STORE, 0); break;
  case 'k': issue(s, what, t, word, ASYNC_CP_ASYNC, 0); break;
  default: synchronise(s, what, t);
  }
}

static void run(struct script *s, const char *text) {
  for (const char *at = text; *at;) {
    char what = *at++;
    char *end;
    uint32_t thread = (uint32_t)strtoul(at, &end, 10), word = 0;
    if (*end == '@') word = (uint32_t)strtoul(end + 1, &end, 10);
    perform(s, what, thread, word);
    for (at = end; *at == ' ';)
      at++;
  }
}

struct scenario {
  const char *text, *rule; // expected rule; NULL: no report
};

static const struct scenario scenarios[] = {
    // ordinary races
    {"w4@0 r5@0", "shared-race"},
    {"w4@0 w40@0", "shared-race"},
    // lanes of one instruction: which lane wins is undefined, and programs often intend that
    {"w4@0 w5@0", NULL},
    {"r4@0 w5@0", "shared-race"},
    {"w4@0 r4@0 w4@0", NULL},
    {"r4@0 r5@0 r40@0", NULL},
    {"w4@0 w5@1 r4@0 r5@1", NULL},
    {"w4@0 B r40@0", NULL},
    {"w4@0 B r40@0 w5@0", "shared-race"},
    {"w4@0 B r40@0 B w5@0", NULL},
    {"w4@0 y0 r5@0", NULL},
    {"w4@0 y1 r5@0", "shared-race"},
    {"w4@0 y0 r40@0", "shared-race"},
    {"w4@0 y0 w5@0 y0 r4@0", NULL},
    {"B w4@0 B r40@0", NULL},          // there is no access before the first barrier
    {"B w4@0 r40@0 B", "shared-race"}, // an earlier barrier does not order later accesses
    {"w4@0 n4 n40 c40 r40@0", NULL},   // bar.arrive on one side, bar.sync on the other
    {"w4@0 n4 w4@1 n40 c40 r40@1", "shared-race"},
    // atomics and flags
    {"a4@0 a40@0 a5@0", NULL},
    {"w4@0 a40@0", "shared-race"},
    {"w4@0 a5@0", "shared-race"},
    {"w4@0 B a40@0 a5@0 B r6@0", NULL},
    {"w4@0 A4@9 R40@9 r40@0", NULL},
    {"w4@0 a4@9 R40@9 r40@0", "shared-race"}, // a relaxed increment releases nothing
    {"w4@0 m4 v4@9 V40@9 r40@0", NULL},       // fence, then flag
    {"w4@0 v4@9 V40@9 r40@0", "shared-race"},
    {"A4@9 w4@0 R40@9 r40@0", "shared-race"}, // written after the release
    {"v4@0 V5@0 v5@0", NULL},                 // volatile within a warp is not judged
    {"v4@0 V40@0", NULL},
    // generic to async
    {"w4@0 f4 B s0@0", NULL},
    {"w4@0 B f0 s0@0", NULL},
    {"w4@0 B s0@0", "proxy-fence"},
    {"f4 w4@0 B s0@0", "proxy-fence"},
    {"w4@0 f5 B s0@0", "proxy-fence"},
    {"w4@0 w5@1 f4 B s0@0", "proxy-fence"},
    {"w4@0 F4 B s0@0", "proxy-fence"},
    {"w4@0 m4 B s0@0", "proxy-fence"},
    {"w4@0 f4 w4@1 B s0@0", "proxy-fence"},
    {"w0@0 s0@0", "proxy-fence"},
    {"w0@0 f0 s0@0", NULL},
    {"w4@0 f4 s0@0", "shared-race"},
    {"w4@0 f4 n4 n0 c0 s0@0", NULL},
    {"w4@0 f4 y0 s0@0", NULL},
    {"w4@0 y0 f5 B s40@0", NULL}, // another thread, which has observed the write, fences
    // loads
    {"i0 e0 l0@0 o4 r4@0", "barrier-init-visibility"},
    {"i0 e0 l0@0 B o4 r4@0", NULL},
    {"i0 e0 l0@0 B r4@0", "tile-before-phase"},
    {"i0 e0 l0@0 B w4@0", "tile-before-phase"},
    {"i0 e0 l0@0 B o5 r4@0", "tile-before-phase"},
    {"i0 e0 l0@0 B o5 B r4@0", NULL},
    {"i0 e0 l0@0 B s0@0", "tile-before-phase"},
    {"i0 e0 l0@0 B o0 s0@0", NULL}, // bytes that the copy engine wrote need no fence
    {"i0 e0 l0@0 B o4 w4@0 f4 B s0@0", NULL},
    {"i0 e0 l0@0 l0@32", "async-race"},
    {"i0 e0 l0@0 B o4 r4@0 o0 e0 l0@0", "buffer-still-read"},
    {"i0 e0 l0@0 B o4 r4@0 B o0 e0 l0@0", NULL},
    {"i0 I0 e0 l0@0 B o4 r4@0 o5 r5@1 t4 t5 O0 o0 e0 l0@0", NULL}, // handed back through a second barrier
    {"i0 I0 e0 l0@0 B o4 t4 r4@0 o5 r5@1 t5 O0 o0 e0 l0@0", "buffer-still-read"},
    {"r4@0 i0 e0 l0@0", "tile-before-phase"},
    {"w4@0 i0 e0 l0@0", "shared-race"},
    {"w4@0 B i0 e0 l0@0", "proxy-fence"}, // in order, but through two proxies
    {"w4@0 f4 B i0 e0 l0@0", NULL},
    {"w4@0 B f0 i0 e0 l0@0", NULL},
    {"f4 w4@0 B i0 e0 l0@0", "proxy-fence"},
    {"k4@0 q4 B i0 e0 l0@0", "proxy-fence"},
    {"k4@0 q4 f4 B i0 e0 l0@0", NULL},
    // reads, then a load
    {"i0 e0 l0@0 o0 r0@0 e0 l0@0", "read-then-load"},
    {"i0 e0 l0@0 o0 r0@0 f0 e0 l0@0", NULL},
    {"i0 e0 l0@0 o0 r0@0 m0 e0 l0@0", NULL}, // a fence orders the thread's own reads as an acquire does
    {"i0 e0 l0@0 o0 m0 r0@0 e0 l0@0", "read-then-load"},
    {"i0 e0 l0@0 o0 r0@0 B e0 l0@0", NULL},
    {"i0 y0 e0 l0@0 o4 r4@0 y0 o0 e0 l0@0", "read-then-load"}, // a warp's meeting, and a wait for others
    {"i0 y0 e0 l0@0 o4 r4@0 f4 y0 o0 e0 l0@0", NULL},
    {"i0 y0 e0 l0@0 o4 r4@0 y0 f0 o0 e0 l0@0", NULL},
    {"i0 y0 e0 l0@0 o4 r4@0 y0 B o0 e0 l0@0", NULL},
    {"i0 I0 y0 e0 l0@0 o4 o5 r4@0 r5@1 y0 t4 t5 O0 o0 e0 l0@0", NULL}, // arrivals release, the wait acquires
    // stores in flight
    {"s0@0 w0@0", "buffer-in-flight"},
    {"s0@0 u0 w0@0", NULL},
    {"s0@0 U0 w0@0", NULL},
    {"s0@0 B w4@0", "buffer-in-flight"},
    {"s0@0 u0 w4@0", "shared-race"},
    {"s0@0 u0 B w4@0", NULL},
    {"s0@0 u4 B w4@0", "buffer-in-flight"},
    {"s0@0 B u0 w4@0", "buffer-in-flight"},
    {"s0@0 r4@0 r0@0", NULL}, // a read during a store is no conflict
    {"s0@0 w0@64", NULL},
    {"i0 B s0@0 e0 l0@0", "buffer-in-flight"},
    {"i0 B s0@0 u0 e0 l0@0", NULL},
    // global memory
    {"s0@0 h0@1024", "read-wait-only"},
    {"s0@0 u0 h0@1024", "read-wait-only"},
    {"s0@0 U0 h0@1024", NULL},
    {"s0@0 U0 h4@1024", "read-wait-only"},
    {"s0@0 U0 B h4@1024", NULL},
    {"s0@0 h0@0", NULL},
    {"i0 g4@0 F4 B e0 l0@0", NULL},
    {"i0 g4@0 B F0 e0 l0@0", NULL},
    {"i0 g4@0 B e0 l0@0", "global-proxy-fence"},
    {"i0 g4@0 f4 B e0 l0@0", "global-proxy-fence"},
    {"i0 B g4@0 F4 e0 l0@0", "global-race"},
    {"i0 g4@64 B e0 l0@0", NULL},
    // cp.async
    {"k4@0 q4 r4@0", NULL},
    {"k4@0 r4@0", "tile-before-phase"},
    {"k4@0 q4 r5@0", "tile-before-phase"},
    {"k4@0 q4 B r5@0", NULL},
};

static void test_scenarios(void **state) {
  (void)state;
  int failed = 0;
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
    struct script *s = script_begin();
    run(s, scenarios[i].text);
    size_t all = fake_faults_all(s->f);
    const char *rule = scenarios[i].rule;
    const char *first = all ? rule_name(fault_at(s->f->launch.report, 0)->rule) : "none";
    if (rule ? all != 1 || strcmp(first, rule) != 0 : all != 0)
      failed++, print_error("\"%s\": expected %s, got %s (%zu)\n", scenarios[i].text, rule ? rule : "none",
                            first, all);
    script_end(s);
  }
  assert_int_equal(failed, 0);
}

// By the letter a load over bytes that were read needs a proxy fence, whatever else stands between.
static void test_strict(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool strict;
    int severity; // -1: silent
  } cases[] = {{"i0 e0 l0@0 B o4 r4@0 B o0 e0 l0@0", false, -1},
               {"i0 e0 l0@0 B o4 r4@0 B o0 e0 l0@0", true, FAULT_ERROR},
               {"i0 e0 l0@0 B o4 r4@0 f4 B o0 e0 l0@0", true, -1},
               {"i0 e0 l0@0 o0 r0@0 e0 l0@0", false, FAULT_WARNING},
               {"i0 e0 l0@0 o0 r0@0 e0 l0@0", true, FAULT_ERROR}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct script *s = script_begin();
    s->f->launch.strict = cases[i].strict;
    run(s, cases[i].text);
    const size_t all = fake_faults_all(s->f);
    assert_int_equal(all ? (int)fault_at(s->f->launch.report, 0)->severity : -1, cases[i].severity);
    if (all) assert_int_equal(fault_at(s->f->launch.report, 0)->rule, RULE_READ_THEN_LOAD);
    script_end(s);
  }
}

// A script without a report stays without a report however often its last words are repeated.
static void test_many_rounds(void **state) {
  (void)state;
  struct script *s = script_begin();
  run(s, "i0 B");
  for (int round = 0; round < 200; round++) {
    run(s, "e0 l0@0 o4 o40 o0 r4@0 w40@1 f40 y0 y1 B s0@0 u0 B");
    s->copy_count = 0;
  }
  if (fake_faults_all(s->f)) fail_msg("%s", fault_at(s->f->launch.report, 0)->rule);
  run(s, "w4@0");
  run(s, "B s0@0");
  assert_int_equal(fake_faults(s->f, "proxy-fence"), 1);
  script_end(s);
}

// However many addresses receive a release, the memory for them is bounded, and order is never lost.
static void test_many_flags(void **state) {
  (void)state;
  struct script *s = script_begin();
  run(s, "w4@0 m4");
  for (uint32_t word = 1; word < 6000; word++)
    touch(s, 'a', 4, word, ORDER_ATOMIC, ORDER_RELAXED);
  assert_in_range(s->f->blocks[0].order->cluster->location_count, 1, MOST_LOCATIONS + LOCATION_BUCKETS);
  for (uint32_t word = 1; word < 6000; word += 500) {
    touch(s, 'a', 40, word, ORDER_ATOMIC, ORDER_ACQUIRE);
    run(s, "r40@0");
  }
  if (fake_faults_all(s->f)) fail_msg("%s", fault_at(s->f->launch.report, 0)->rule);
  script_end(s);
}

static void test_counts_and_example(void **state) {
  (void)state;
  struct script *s = script_begin();
  run(s, "w4@0 w5@1 w40@2 B s0@0");
  order_block_end(&s->f->blocks[0]);
  order_launch_end(&s->f->launch);
  const struct fault *f = fault_at(s->f->launch.report, 0);
  assert_int_equal(f->rule, RULE_PROXY_FENCE);
  assert_int_equal(f->thread_count, 3);
  assert_int_equal(f->block_count, 1);
  assert_int_equal(f->launch_threads, FAKE_THREADS);
  assert_int_equal(f->place.ptx_line, 'w');
  assert_int_equal(f->related[0].place.ptx_line, 's');
  s->f->launch.check = false;
  fake_cluster_free(s->f);
  free(s);
}

// Lanes 0 to 15 of a warp read the end of a tile's row, the others the begin of the next one. Lines stay
// whole, and what is noted of them is what single lanes would have noted.
static void test_row_that_ends_in_a_warp(void **unused) {
  (void)unused;
  enum { FIRST = 48, SECOND = 136 }; // words: half of line 1; lane 16's, and eight words of line 4
  for (uint32_t after = 0; after < 2; after++) {
    struct script *s = script_begin();
    const struct shadow *shadow = &s->f->blocks[0].order->shadow;
    uint32_t offset[WARP_LANES];
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
      offset[lane] = SHARED_FIRST_OFFSET + 4 * (lane < 16 ? FIRST + lane : SECOND + lane - 16);
    for (uint32_t warp = 0; warp < 2; warp++)
      order_shared_access(&s->f->warps[0][warp], &s->ops['r'], UINT32_MAX, &s->f->blocks[0], offset, 4,
                          ORDER_READ, ORDER_WEAK, NULL);
    assert_false(shadow->lines[1].detailed);
    assert_false(shadow->lines[4].detailed);
    run(s, after ? "w40@47 w40@135 w40@152" : "B w40@63 w40@136");
    assert_int_equal(fake_faults_all(s->f), 0);
    if (after) run(s, "w40@136"); // which lane 16 has read, in either warp
    assert_int_equal(fake_faults_all(s->f), after);
    script_end(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scenarios),          cmocka_unit_test(test_strict),
      cmocka_unit_test(test_many_rounds),        cmocka_unit_test(test_many_flags),
      cmocka_unit_test(test_counts_and_example), cmocka_unit_test(test_row_that_ends_in_a_warp),
  };
  return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
