// Copies in flight. No copy happens before it must. A wait completes exactly the copies that it asks for. At
// the end no copy is left.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fake-cluster.h"

#include "virtual-hopper/ptx/ptx.h"

enum { BARRIER = SHARED_FIRST_OFFSET, TILE = SHARED_FIRST_OFFSET + 1024, TILE_BYTES = 256 };

struct fixture {
  struct fake_cluster *f;
  uint64_t address; // address of 1 MiB of global memory
  uint8_t *global;
};

static struct fixture begin(uint32_t blocks, uint64_t seed) {
  struct fixture x = {.f = fake_cluster_make(blocks, seed)};
  assert_int_equal(memory_allocate(x.f->launch.memory, 1 << 20, 256, &x.address), 0);
  x.global = memory_host(x.f->launch.memory, x.address, 1 << 20);
  return x;
}

static uint8_t *shared(struct fixture *x, uint32_t rank, uint32_t offset) {
  return memory_shared(&x->f->blocks[rank], offset, 1);
}
static struct mbarrier *barrier(struct fixture *x, uint32_t rank, uint32_t n) {
  return mbarrier_find(&x->f->blocks[rank], BARRIER + 8 * n);
}

static void init(struct fixture *x, uint32_t rank, uint32_t n) {
  assert_true(
      mbarrier_init(actor_of(&x->f->warps[rank][0], &x->f->op, 0), &x->f->blocks[rank], BARRIER + 8 * n, 1));
}
static void expect_and_arrive(struct fixture *x, uint32_t rank, uint32_t n, uint32_t bytes) {
  struct mbarrier_arrival a = {.count = 1, .expect_bytes = bytes};
  struct mbarrier *m = barrier(x, rank, n);
  m->observed = true;
  assert_true(mbarrier_arrive(actor_of(&x->f->warps[rank][0], &x->f->op, 0), &x->f->blocks[rank], m->offset,
                              &a, NULL));
}

static void load(struct fixture *x, uint32_t n, uint32_t from, uint32_t to, uint32_t bytes, uint32_t mask) {
  struct warp *w = &x->f->warps[0][0];
  struct async_copy *copy = async_new(actor_of(w, &x->f->op, 0), ASYNC_BULK_LOAD);
  copy->bytes = copy->footprint = bytes;
  copy->global_address = x->address + from;
  copy->shared_offset = to;
  copy->mbarrier_offset = BARRIER + 8 * n;
  for (uint32_t rank = 0; rank < x->f->cluster.block_count; rank++)
    if (mask >> rank & 1) copy->destination[copy->destination_count++] = &x->f->blocks[rank];
  async_issue(w, 0, copy, x->global + from);
}

static void store(struct fixture *x, uint32_t lane, uint32_t from, uint32_t to, uint32_t bytes,
                  enum async_operation operation) {
  struct warp *w = &x->f->warps[0][0];
  struct async_copy *copy = async_new(actor_of(w, &x->f->op, lane),
                                      operation == ASYNC_STORE ? ASYNC_BULK_STORE : ASYNC_BULK_REDUCE);
  copy->bytes = copy->footprint = bytes;
  copy->global_address = x->address + to;
  copy->shared_offset = from;
  copy->operation = (uint8_t)operation;
  copy->element = PTX_U32;
  async_issue(w, lane, copy, x->global + to);
}

static void commit(struct fixture *x, uint32_t lanes) {
  x->f->warps[0][0].lanes = lanes;
  async_bulk_commit(&x->f->warps[0][0]);
}
static void wait_groups(struct fixture *x, uint32_t lanes, uint32_t newest, bool read_only) {
  x->f->warps[0][0].lanes = lanes;
  assert_true(async_bulk_wait(&x->f->warps[0][0], &x->f->op, newest, read_only));
}

static bool all(const uint8_t *bytes, uint8_t value, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i] != value) return false;
  return true;
}

static void loads_land_when_asked(void **state) {
  (void)state;
  struct fixture x = begin(1, 3);
  init(&x, 0, 0);
  expect_and_arrive(&x, 0, 0, 2 * TILE_BYTES);
  memset(x.global, 1, 4096);
  load(&x, 0, 0, TILE, TILE_BYTES, 1);
  load(&x, 0, 1024, TILE + TILE_BYTES, TILE_BYTES, 1);
  assert_true(all(shared(&x, 0, TILE), 0xa5, 2 * TILE_BYTES));
  assert_int_equal(async_pending_bytes(&x.f->cluster, &x.f->blocks[0], BARRIER), 2 * TILE_BYTES);
  memset(x.global, 2, 4096); // the copy reads its source when it lands
  assert_true(async_deliver(&x.f->cluster));
  assert_true(all(shared(&x, 0, TILE), 2, 2 * TILE_BYTES));
  assert_int_equal(barrier(&x, 0, 0)->phase, 1);
  assert_false(async_deliver(&x.f->cluster));
  assert_int_equal(x.f->cluster.observed.max_loads_in_flight, 2);
  assert_int_equal(x.f->cluster.observed.max_load_bytes_in_flight, 2 * TILE_BYTES);
  assert_int_equal(x.f->cluster.observed.bulk_load_bytes, 2 * TILE_BYTES);
  assert_int_equal(fake_faults_all(x.f), 0);
  fake_cluster_free(x.f);
}

static void wanted_barriers_come_first(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct fixture x = begin(1, seed);
    for (uint32_t n = 0; n < 8; n++) {
      init(&x, 0, n);
      expect_and_arrive(&x, 0, n, TILE_BYTES);
      load(&x, n, 0, TILE + n * TILE_BYTES, TILE_BYTES, 1);
    }
    struct warp *w = &x.f->warps[0][0];
    w->split_count = 1;
    w->splits[0] = (struct split){.lanes = 1, .wait = WAIT_MBARRIER, .wait_object = BARRIER + 8 * 5};
    assert_true(async_deliver(&x.f->cluster));
    for (uint32_t n = 0; n < 8; n++)
      assert_int_equal(barrier(&x, 0, n)->phase, n == 5);
    fake_cluster_free(x.f);
  }
}

static void seeds_vary_the_order(void **state) {
  (void)state;
  uint32_t first[8] = {0};
  for (uint64_t seed = 0; seed < 64; seed++) {
    struct fixture x = begin(1, seed * 0x9e3779b97f4a7c15ull);
    for (uint32_t n = 0; n < 8; n++) {
      init(&x, 0, n);
      expect_and_arrive(&x, 0, n, 16);
      load(&x, n, 0, TILE + n * 16, 16, 1);
    }
    assert_true(async_deliver(&x.f->cluster));
    for (uint32_t n = 0; n < 8; n++)
      first[n] += (uint32_t)barrier(&x, 0, n)->phase;
    fake_cluster_free(x.f);
  }
  for (uint32_t n = 0; n < 8; n++)
    assert_in_range(first[n], 1, 24);
}

static void multicast_reaches_all(void **state) {
  (void)state;
  struct fixture x = begin(4, 1);
  for (uint32_t rank = 0; rank < 4; rank++)
    init(&x, rank, 0);
  for (uint32_t rank = 0; rank < 4; rank++)
    expect_and_arrive(&x, rank, 0, rank == 2 ? 16 : 64);
  memset(x.global, 9, 64);
  load(&x, 0, 0, TILE, 64, 0xb);
  assert_true(async_deliver(&x.f->cluster));
  for (uint32_t rank = 0; rank < 4; rank++) {
    assert_true(all(shared(&x, rank, TILE), rank == 2 ? 0xa5 : 9, 64));
    assert_int_equal(barrier(&x, rank, 0)->phase, rank != 2);
  }
  assert_int_equal(x.f->cluster.observed.multicast_saved_bytes, 2 * 64); // three blocks, one of which loads
  load(&x, 0, 0, TILE, 16, 0x4);
  assert_int_equal(x.f->cluster.observed.multicast_saved_bytes, 2 * 64);
  fake_cluster_free(x.f);
}

static void arrivals_on_other_blocks_are_counted(void **state) {
  (void)state;
  struct fixture x = begin(2, 1);
  init(&x, 0, 0);
  init(&x, 1, 0);
  expect_and_arrive(&x, 0, 0, 0);
  assert_int_equal(x.f->cluster.observed.remote_arrivals, 0);
  const struct mbarrier_arrival a = {.count = 1};
  assert_true(mbarrier_arrive(actor_of(&x.f->warps[0][0], &x.f->op, 0), &x.f->blocks[1], BARRIER, &a, NULL));
  assert_int_equal(x.f->cluster.observed.remote_arrivals, 1);
  fake_cluster_free(x.f);
}

static void unannounced_bytes_are_reported(void **state) {
  (void)state;
  struct fixture x = begin(1, 1);
  init(&x, 0, 0);
  expect_and_arrive(&x, 0, 0, TILE_BYTES);
  load(&x, 0, 0, TILE, TILE_BYTES, 1);
  load(&x, 0, 0, TILE + TILE_BYTES, TILE_BYTES, 1);
  assert_true(async_deliver(&x.f->cluster));
  assert_int_equal(fake_faults(x.f, "bytes-announced"), 1);
  fake_cluster_free(x.f);
}

static void stores_read_and_write_when_forced(void **state) {
  (void)state;
  struct fixture x = begin(1, 1);
  memset(shared(&x, 0, TILE), 1, TILE_BYTES);
  store(&x, 0, TILE, 0, TILE_BYTES, ASYNC_STORE);
  commit(&x, 1);
  memset(shared(&x, 0, TILE), 2, TILE_BYTES); // a mistake in the program: the store reads these new bytes
  wait_groups(&x, 1, 0, true);
  assert_true(all(x.global, 0, TILE_BYTES)); // the source is read, but not yet written to the destination
  memset(shared(&x, 0, TILE), 3, TILE_BYTES);
  assert_true(all(x.global, 0, TILE_BYTES));
  wait_groups(&x, 1, 0, false);
  assert_true(all(x.global, 2, TILE_BYTES));
  fake_cluster_free(x.f);
}

static void waits_leave_the_newest(void **state) {
  (void)state;
  struct fixture x = begin(1, 1);
  for (uint32_t group = 0; group < 5; group++) {
    memset(shared(&x, 0, TILE + group * 64), (int)group + 1, 64);
    store(&x, 0, TILE + group * 64, group * 64, 32, ASYNC_STORE);
    store(&x, 0, TILE + group * 64 + 32, group * 64 + 32, 32, ASYNC_STORE);
    commit(&x, 1);
    commit(&x, 2); // an empty group of another thread
  }
  assert_int_equal(x.f->cluster.observed.max_groups_pending, 5);
  assert_int_equal(x.f->cluster.observed.max_stores_in_flight, 10);
  wait_groups(&x, 2, 0, false); // the other thread has nothing to wait for
  assert_true(all(x.global, 0, 320));
  wait_groups(&x, 1, 3, false);
  for (uint32_t group = 0; group < 5; group++)
    assert_true(all(x.global + group * 64, group < 2 ? (uint8_t)(group + 1) : 0, 64));
  commit(&x, 1); // an empty group counts as one of the newest groups
  wait_groups(&x, 1, 3, false);
  for (uint32_t group = 0; group < 5; group++)
    assert_true(all(x.global + group * 64, group < 3 ? (uint8_t)(group + 1) : 0, 64));
  wait_groups(&x, 1, 0, false);
  for (uint32_t group = 0; group < 5; group++)
    assert_true(all(x.global + group * 64, (uint8_t)(group + 1), 64));
  // The first and the last wait don't count: the first waited for no group, the last left no group in flight.
  assert_int_equal(x.f->cluster.observed.waits_leaving_groups, 2);
  assert_int_equal(x.f->cluster.observed.read_waits_leaving_groups, 0); // each wait was for the writes, too
  fake_cluster_free(x.f);
}

// A thread that waits for all its groups in each turn leaves none in flight, however early it committed the
// next group. Two threads that each wait for all their own groups overlap all the same.
static void draining_waits_leave_nothing(void **state) {
  (void)state;
  struct fixture x = begin(1, 1);
  const struct observed *seen = &x.f->cluster.observed;
  for (uint32_t group = 0; group < 4; group++) {
    store(&x, 0, TILE + group * 64, group * 64, 32, ASYNC_STORE);
    commit(&x, 1);
    if (group > 0) wait_groups(&x, 1, 0, true);
  }
  assert_int_equal(seen->max_groups_pending, 2);
  assert_int_equal(seen->waits_leaving_groups, 0);
  store(&x, 0, TILE, 0, 32, ASYNC_STORE);
  commit(&x, 1);
  store(&x, 1, TILE + 64, 64, 32, ASYNC_STORE);
  commit(&x, 2);
  wait_groups(&x, 1, 0, true);
  assert_int_equal(seen->waits_leaving_groups, 1);
  wait_groups(&x, 2, 0, true);
  assert_int_equal(seen->waits_leaving_groups, 1);
  assert_int_equal(seen->read_waits_leaving_groups, 1);
  fake_cluster_free(x.f);
}

static void uncommitted_stores_are_not_awaited(void **state) {
  (void)state;
  struct fixture x = begin(1, 1);
  memset(shared(&x, 0, TILE), 7, 64);
  store(&x, 3, TILE, 0, 64, ASYNC_STORE);
  wait_groups(&x, 1u << 3, 0, false);
  assert_true(all(x.global, 0, 64));
  async_block_exit(&x.f->blocks[0]);
  memset(shared(&x, 0, TILE), 8, 64); // the bytes of the next block
  assert_true(async_finish(&x.f->cluster));
  assert_true(all(x.global, 7, 64));
  fake_cluster_free(x.f);
}

static void staging_is_bounded(void **state) {
  (void)state;
  struct fixture x = begin(1, 1);
  uint32_t written = 0;
  for (uint32_t i = 0; i < 300; i++) {
    memset(shared(&x, 0, TILE), (int)(i % 250) + 1, 16384);
    store(&x, 0, TILE, i % 60 * 16384, 16384, ASYNC_STORE);
    commit(&x, 1);
    wait_groups(&x, 1, 0, true);
  }
  for (uint32_t i = 0; i < 60; i++)
    written += x.global[i * 16384] != 0;
  assert_true(written > 30); // most copies had to be written long before the end
  fake_cluster_free(x.f);
}

static void reductions_combine(void **state) {
  (void)state;
  struct fixture x = begin(1, 1);
  uint32_t *global = (uint32_t *)(void *)x.global;
  for (uint32_t i = 0; i < 16; i++) {
    uint32_t value = i * 3;
    memcpy(shared(&x, 0, TILE) + 4 * i, &value, 4);
    global[i] = 100;
  }
  for (int n = 0; n < 10; n++)
    store(&x, (uint32_t)n, TILE, 0, 64, ASYNC_ADD);
  commit(&x, 0x3ff);
  wait_groups(&x, 0x3ff, 0, false);
  for (uint32_t i = 0; i < 16; i++)
    assert_int_equal(global[i], 100 + 30 * i);
  fake_cluster_free(x.f);
}

static void cp_async(struct fixture *x, uint32_t lane, uint32_t from, uint32_t to, uint32_t bytes,
                     uint32_t source_bytes) {
  struct warp *w = &x->f->warps[0][0];
  struct async_copy *copy = async_new(actor_of(w, &x->f->op, lane), ASYNC_CP_ASYNC);
  copy->bytes = copy->footprint = bytes;
  copy->source_bytes = source_bytes;
  copy->global_address = x->address + from;
  copy->shared_offset = to;
  async_issue(w, lane, copy, x->global + from);
}

static void small_copies_wait_for_their_groups(void **state) {
  (void)state;
  struct fixture x = begin(1, 1);
  struct warp *w = &x.f->warps[0][0];
  memset(x.global, 4, 64);
  w->lanes = 1;
  cp_async(&x, 0, 0, TILE, 16, 16);
  async_cp_commit(w);
  cp_async(&x, 0, 16, TILE + 16, 16, 6);
  async_cp_commit(w);
  assert_true(all(shared(&x, 0, TILE), 0xa5, 32));
  async_cp_wait(w, NULL, 1);
  assert_true(all(shared(&x, 0, TILE), 4, 16));
  assert_true(all(shared(&x, 0, TILE + 16), 0xa5, 16));
  cp_async(&x, 0, 32, TILE + 32, 8, 8); // no commit follows for this copy alone
  async_cp_wait(w, NULL, 0);
  assert_true(all(shared(&x, 0, TILE + 16), 4, 6));
  assert_true(all(shared(&x, 0, TILE + 22), 0, 10));
  assert_true(all(shared(&x, 0, TILE + 32), 0xa5, 8));
  async_cp_wait(w, NULL, UINT32_MAX);
  assert_true(all(shared(&x, 0, TILE + 32), 4, 8));
  fake_cluster_free(x.f);
}

static void small_copies_arrive(void **state) {
  (void)state;
  struct fixture x = begin(1, 1);
  struct warp *w = &x.f->warps[0][0];
  init(&x, 0, 0);
  memset(x.global, 4, 64);
  cp_async(&x, 0, 0, TILE, 16, 16);
  // like .noinc: this arrival is included in the expected count of one
  async_cp_arrive(actor_of(w, &x.f->op, 0), BARRIER);
  cp_async(&x, 0, 16, TILE + 16, 16, 16);
  assert_int_equal(barrier(&x, 0, 0)->phase, 0);
  assert_true(async_deliver(&x.f->cluster));
  assert_int_equal(barrier(&x, 0, 0)->phase, 1);
  assert_true(all(shared(&x, 0, TILE), 4, 16));
  assert_true(all(shared(&x, 0, TILE + 16), 0xa5, 16)); // this copy was issued after the arrive
  fake_cluster_free(x.f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loads_land_when_asked),
      cmocka_unit_test(wanted_barriers_come_first),
      cmocka_unit_test(seeds_vary_the_order),
      cmocka_unit_test(multicast_reaches_all),
      cmocka_unit_test(arrivals_on_other_blocks_are_counted),
      cmocka_unit_test(unannounced_bytes_are_reported),
      cmocka_unit_test(stores_read_and_write_when_forced),
      cmocka_unit_test(waits_leave_the_newest),
      cmocka_unit_test(draining_waits_leave_nothing),
      cmocka_unit_test(uncommitted_stores_are_not_awaited),
      cmocka_unit_test(staging_is_bounded),
      cmocka_unit_test(reductions_combine),
      cmocka_unit_test(small_copies_wait_for_their_groups),
      cmocka_unit_test(small_copies_arrive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
