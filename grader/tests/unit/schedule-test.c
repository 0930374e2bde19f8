// The scheduler: results don't depend on the number of workers. Barriers of blocks, clusters and the grid.
// The report when no thread can go on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-run.h"

static void expect_done(struct kernel_run *run) {
  kernel_run(run);
  if (run->status) print_error("status %d: %s %s %s\n", run->status, run->rule, run->message, run->what);
  assert_int_equal(run->status, 0);
  assert_int_equal(run->faults, 0);
}

// out[0] is a ticket counter. out[1] is a float sum whose rounding depends on the order. out[2] is the last
// thread that exchanged. Tickets go to out[8..].
#define ORDER_SHOWS                                                               \
  "atom.global.add.u32 %r3, [%rd0], 1;\nadd.u32 %r4, %r2, 1;\n"                   \
  "cvt.rn.f32.u32 %f1, %r4;\nrcp.approx.f32 %f1, %f1;\n"                          \
  "red.global.add.f32 [%rd0+4], %f1;\natom.global.exch.b32 %r5, [%rd0+8], %r2;\n" \
  "st.global.u32 [%rd1+32], %r3;\nst.global.u32 [%rd1+8224], %r5;\n"

static void test_workers_change_nothing(void **state) {
  (void)state;
  static struct kernel_run one, other;
  for (uint64_t seed = 0; seed < 3; seed++) {
    one = (struct kernel_run){.ptx = PTX(ORDER_SHOWS), .grid = 20, .block = 96, .seed = seed};
    expect_done(&one);
    assert_int_equal(one.words[0], 1920);
    for (unsigned workers = 2; workers <= 4; workers++) {
      other = (struct kernel_run){
          .ptx = PTX(ORDER_SHOWS), .grid = 20, .block = 96, .seed = seed, .workers = workers};
      expect_done(&other);
      assert_memory_equal(one.words, other.words, sizeof one.words);
    }
  }
}

static void test_seeds_change_the_order(void **state) {
  (void)state;
  static struct kernel_run a, b;
  a = (struct kernel_run){.ptx = PTX(ORDER_SHOWS), .grid = 80, .block = 16, .seed = 1};
  b = (struct kernel_run){.ptx = PTX(ORDER_SHOWS), .grid = 80, .block = 16, .seed = 2};
  expect_done(&a);
  expect_done(&b);
  assert_memory_not_equal(a.words, b.words, sizeof a.words);
}

#define GRID_BARRIER                                                            \
  "mov.u32 %r10, %nctaid.x;\nmov.u32 %r11, 0;\nROUND: add.u32 %r11, %r11, 1;\n" \
  "bar.sync 0;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra MET;\n"                      \
  "membar.gl;\natom.global.add.u32 %r3, [%rd0], 1;\n"                           \
  "mul.lo.u32 %r12, %r10, %r11;\nSPIN: ld.volatile.global.u32 %r4, [%rd0];\n"   \
  "setp.lt.u32 %p2, %r4, %r12;\n@%p2 bra SPIN;\nmembar.gl;\n"                   \
  "MET: bar.sync 0;\nsetp.lt.u32 %p3, %r11, 3;\n@%p3 bra ROUND;\n"              \
  "st.global.u32 [%rd1+64], %r11;\n"

static void test_blocks_of_a_grid_meet(void **state) {
  (void)state;
  static struct kernel_run run;
  for (unsigned workers = 1; workers <= 2; workers++) {
    run = (struct kernel_run){
        .ptx = PTX(GRID_BARRIER), .grid = 60, .block = 64, .workers = workers, .seed = workers};
    expect_done(&run);
    assert_int_equal(run.words[0], 180);
    for (int i = 0; i < 60 * 64; i++)
      assert_int_equal(run.words[16 + i], 3);
  }
}

// There are 2 blocks of 1024 threads on each of 132 multiprocessors.
static void test_more_blocks_than_fit_never_meet(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("mov.u32 %r10, %nctaid.x;\nsetp.ne.u32 %p1, %r0, 0;\n"
                 "@%p1 exit;\natom.global.add.u32 %r3, [%rd0], 1;\n"
                 "SPIN: ld.volatile.global.u32 %r4, [%rd0];\nsetp.lt.u32 %p2, %r4, %r10;\n@%p2 bra SPIN;\n"),
      .block = 1024};
  run.grid = 264;
  expect_done(&run);
  run.grid = 265;
  kernel_run(&run);
  assert_int_equal(run.status, 702);
  assert_string_equal(run.rule, "deadlock");
  assert_non_null(strstr(run.message, "haven't started"));
}

// Two warps meet at barrier 1, two at barrier 2. The arrivals of warp 4 complete barrier 3.
static void test_counted_barriers(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".shared .align 4 .b8 box[640];\n" PTX_KERNEL(
          "mov.u32 %r5, box;\nshl.b32 %r6, %r0, 2;\nadd.u32 %r6, %r5, %r6;\n"
          "st.shared.u32 [%r6], %r0;\nshr.u32 %r7, %r0, 5;\n"
          "setp.eq.u32 %p4, %r7, 4;\n@%p4 bra LAST;\nshr.u32 %r8, %r7, 1;\n"
          "add.u32 %r8, %r8, 1;\nbar.sync %r8, 64;\nxor.b32 %r9, %r0, 32;\nshl.b32 %r9, %r9, 2;\n"
          "add.u32 %r9, %r5, %r9;\nld.shared.u32 %r10, [%r9];\n"
          "st.global.u32 [%rd1], %r10;\nbar.sync 3, 160;\nld.shared.u32 %r11, [%r5+512];\n"
          "st.global.u32 [%rd1+2048], %r11;\nret;\nLAST: st.shared.u32 [%r6], 4242;\nbar.arrive 3, 160;\n"),
      .block = 160};
  expect_done(&run);
  for (uint32_t t = 0; t < 128; t++) {
    assert_int_equal(run.words[t], t ^ 32);
    assert_int_equal(run.words[512 + t], 4242);
  }
}

static void test_barrier_reductions(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("setp.lt.u32 %p1, %r0, 50;\nbar.red.popc.u32 %r3, 0, %p1;\n"
                 "bar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, %p1;\n"
                 "bar.red.popc.u32 %r4, 0, !%p1;\nselp.u32 %r5, 1000, 0, %p2;\n"
                 "selp.u32 %r6, 2000, 0, %p3;\nadd.u32 %r3, %r3, %r5;\nadd.u32 %r3, %r3, %r6;\n"
                 "st.global.u32 [%rd1], %r3;\nst.global.u32 [%rd1+1024], %r4;\n"),
      .block = 100};
  expect_done(&run);
  for (int t = 0; t < 100; t++) {
    assert_int_equal(run.words[t], 2050);
    assert_int_equal(run.words[256 + t], 50);
  }
}

// barrier.sync without .aligned, from both sides of a branch.
static void test_warp_arrives_in_parts(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("setp.lt.u32 %p1, %r0, 40;\n@%p1 bra A;\nbarrier.sync 0;\nst.global.u32 [%rd1], 1;\nbra E;\n"
                 "A: barrier.sync 0;\nst.global.u32 [%rd1], 2;\nE:\n"),
      .block = 64};
  expect_done(&run);
  for (int t = 0; t < 64; t++)
    assert_int_equal(run.words[t], t < 40 ? 2 : 1);
}

// every block reads the number of its right neighbour
static void test_distributed_shared_memory(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".shared .align 4 .b8 box[128];\n" PTX_KERNEL(
          "mov.u32 %r5, box;\nshl.b32 %r6, %r0, 2;\nadd.u32 %r6, %r5, %r6;\n"
          "st.shared.u32 [%r6], %r2;\nbarrier.cluster.arrive.release.aligned;\n"
          "barrier.cluster.wait.acquire.aligned;\nmov.u32 %r7, %cluster_ctarank;\n"
          "mov.u32 %r8, %cluster_nctarank;\nadd.u32 %r7, %r7, 1;\n"
          "rem.u32 %r7, %r7, %r8;\nmapa.shared::cluster.u32 %r9, %r6, %r7;\n"
          "ld.shared::cluster.u32 %r10, [%r9];\nst.global.u32 [%rd1], %r10;\n"
          "cvt.u64.u32 %rd3, %r6;\ncvta.shared.u64 %rd4, %rd3;\nmapa.u64 %rd5, %rd4, %r7;\n"
          "ld.u32 %r11, [%rd5];\nst.global.u32 [%rd1+8192], %r11;\n"
          "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"),
      .grid = 8,
      .cluster = 4};
  expect_done(&run);
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t block = i / 32, neighbour = block / 4 * 4 + (block + 1) % 4;
    assert_int_equal(run.words[i], neighbour * 32 + i % 32);
    assert_int_equal(run.words[2048 + i], neighbour * 32 + i % 32);
  }
}

static void test_cluster_barrier_forgives_exits(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX(
          "mov.u32 %r5, %cluster_ctarank;\nsetp.eq.u32 %p1, %r5, 1;\n@%p1 exit;\nbarrier.cluster.arrive;\n"
          "barrier.cluster.wait;\nst.global.u32 [%rd1], 1;\n"),
      .grid = 2,
      .cluster = 2};
  expect_done(&run);
  assert_int_equal(run.words[0], 1);
  assert_int_equal(run.words[32], 0);
}

static void test_exited_blocks_memory_is_gone(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".shared .align 4 .b8 box[128];\n" PTX_KERNEL(
          "mov.u32 %r5, %cluster_ctarank;\nsetp.eq.u32 %p1, %r5, 1;\n@%p1 exit;\n"
          "mov.u32 %r4, 0;\nL: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 20000;\n@%p2 bra L;\n"
          "mov.u32 %r6, box;\nmapa.shared::cluster.u32 %r7, %r6, 1;\nld.shared::cluster.u32 %r8, [%r7];\n"),
      .grid = 2,
      .cluster = 2};
  kernel_run(&run);
  assert_int_equal(run.status, 700);
  assert_non_null(strstr(run.message, "has ended"));
}

static void test_deadlock_says_who_waits(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("setp.lt.u32 %p1, %r0, 64;\n@%p1 bra A;\nbar.sync 2, 128;\nbar.sync 1, 128;\nbra E;\n"
                 "A: bar.sync 1, 128;\nbar.sync 2, 128;\nE:\n"),
      .block = 128,
      .grid = 3};
  kernel_run(&run);
  assert_int_equal(run.status, 702);
  assert_string_equal(run.rule, "deadlock");
  assert_non_null(strstr(run.message, "Threads 0-63 of block 0"));
  assert_non_null(strstr(run.message, "barrier 1"));
  assert_non_null(strstr(run.message, "64 of 128 threads"));
  assert_non_null(strstr(run.message, "2 more blocks"));
}

static void test_barriers_count_who_cannot_come(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("setp.lt.u32 %p1, %r0, 64;\n@%p1 bra A;\nbar.sync 2, 96;\nbra E;\nA: bar.sync 1, 96;\nE:\n"),
      .block = 128,
      .grid = 3};
  kernel_run(&run);
  assert_int_equal(run.status, 702);
  assert_string_equal(run.rule, "named-barrier");
  assert_non_null(strstr(run.message, "Barrier 1 counts 96 threads"));
  assert_non_null(strstr(run.message, "64 have come"));
}

#define BARRIER_IN_A_BRANCH(first, others)                                                                   \
  PTX_HEADER ".shared .align 8 .b64 bar;\n" PTX_KERNEL(                                                      \
      "mov.u32 %r6, bar;\nsetp.eq.u32 %p3, %r0, 0;\n@%p3 mbarrier.init.shared.b64 [%r6], 32;\nbar.sync 0;\n" \
      "setp.lt.u32 %p1, %r0, 32;\n@!%p1 bra OTHERS;\n"                                                       \
      "L: mbarrier.try_wait.parity.shared.b64 %p2, [%r6], 0;\n@!%p2 bra L;\n" first                          \
      "ret;\nOTHERS: bar.sync 0;\n" others)
#define ARRIVES "mbarrier.arrive.shared.b64 %rd5, [%r6];\n"

// The report blames a barrier of the block only under two conditions: the missing threads can't reach the
// barrier, and they wait for an action that comes after the barrier.
static void test_deadlock_blames_a_barrier_in_a_branch(void **state) {
  (void)state;
  static const struct {
    const char *ptx;
    bool blamed;
  } cases[] = {
      {BARRIER_IN_A_BRANCH("", ARRIVES), true},
      {BARRIER_IN_A_BRANCH("", ""), false}, // no thread would arrive after the barrier
      // the missing threads would reach the barrier later
      {BARRIER_IN_A_BRANCH("bar.sync 0;\n", ARRIVES), false},
      {BARRIER_IN_A_BRANCH("bar.sync 1;\n", ARRIVES), true}, // they would reach another barrier
      // the number of the barrier is not known
      {BARRIER_IN_A_BRANCH("mov.u32 %r7, 0;\nbar.sync %r7;\n", ARRIVES), false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct kernel_run run;
    run = (struct kernel_run){.ptx = cases[i].ptx, .block = 64};
    kernel_run(&run);
    assert_string_equal(run.rule, "deadlock");
    if (!strstr(run.message, "can't come to the barrier") == cases[i].blamed)
      fail_msg("case %zu: %s", i, run.message);
  }
}

static void test_spinning_for_ever_is_a_deadlock(void **state) { // without any deadline
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("SPIN: ld.acquire.gpu.global.u32 %r4, [%rd0];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra SPIN;\n"),
      .grid = 2};
  kernel_run(&run);
  assert_int_equal(run.status, 702);
  assert_string_equal(run.rule, "deadlock");
}

static void test_endless_loop(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("L: add.u32 %r4, %r4, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\n"), .budget = 3000000};
  kernel_run(&run);
  assert_int_equal(run.status, 702);
  assert_string_equal(run.rule, "endless-loop");
  assert_non_null(strstr(run.message, "ran for 3 M instructions"));
}

static void test_seconds_judge_nothing(void **state) { // a launch that the deadline stops has no fault
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("L: add.u64 %rd6, %rd6, 1;\nsetp.ne.u64 %p1, %rd6, 0;\n@%p1 bra L;\n"), .deadline = 0.05};
  kernel_run(&run);
  assert_int_equal(run.status, 702);
  assert_int_equal(run.faults, 0);
  assert_non_null(strstr(run.time_limit, "0.05 seconds"));
}

static void test_a_grid_without_end(void **state) { // too many blocks, although each of them ends
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("add.u32 %r4, %r4, 1;\n"), .grid = 0x7fffffff, .budget = 3000000};
  kernel_run(&run);
  assert_int_equal(run.status, 702);
  assert_string_equal(run.rule, "endless-loop");
  assert_non_null(strstr(run.message, " of its 2147483647 blocks had ended"));
}

static void test_endless_loop_of_two_ways(void **state) { // lanes diverge and meet again in each turn
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("and.b32 %r3, %r0, 1;\nsetp.eq.u32 %p1, %r3, 0;\nL: @%p1 bra M;\nadd.u32 %r4, %r4, 1;\n"
                 "M: add.u32 %r5, %r5, 1;\nbra L;\n"),
      .budget = 3000000};
  kernel_run(&run);
  assert_int_equal(run.status, 702);
  assert_string_equal(run.rule, "endless-loop");
}

static void test_time_outs_end(void **state) { // a loop that gives up after ten virtual seconds
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("mov.u64 %rd3, %globaltimer;\nL: ld.volatile.global.u32 %r4, [%rd0];\n"
                 "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra E;\nmov.u64 %rd4, %globaltimer;\n"
                 "sub.u64 %rd4, %rd4, %rd3;\nsetp.lt.u64 %p2, %rd4, 10000000000;\n"
                 "@%p2 bra L;\nst.global.u32 [%rd1+4], 5;\nE:\n")};
  expect_done(&run);
  assert_int_equal(run.words[32], 5);
}

// 20 blocks of two warps look for their copies between one barrier of the block and the next, as
// `while (!__syncthreads_and(test_wait(..)))` does. That they pass barriers is no news to who polls: copies
// land after a few rounds, and a small budget is enough.
static void test_polls_between_barriers(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".shared .align 16 .b8 tile[16];\n.shared .align 8 .b64 bar;\n" PTX_KERNEL(
          "mov.u32 %r3, tile;\nmov.u32 %r4, bar;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra S;\n"
          "mbarrier.init.shared.b64 [%r4], 1;\nmbarrier.arrive.expect_tx.shared.b64 _, [%r4], 16;\n"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd0], 16, [%r4];\n"
          "S: barrier.sync 0;\n"
          "L: mbarrier.test_wait.parity.shared.b64 %p2, [%r4], 0;\nbarrier.red.and.pred %p3, 0, %p2;\n"
          "@!%p3 bra L;\nst.global.u32 [%rd1+16], 5;\n"),
      .grid = 20,
      .block = 64,
      .check = true,
      .budget = 200000};
  expect_done(&run);
  assert_int_equal(run.words[4 + 20 * 64 - 1], 5);
}

// A block takes tiles from a counter until no tiles are left. Whatever the seed, several blocks get some of
// the few tiles. So a program is wrong if it puts a block's n-th tile in the n-th place.
static void test_tiles_are_spread(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    static struct kernel_run run;
    run = (struct kernel_run){
        .ptx = PTX(
            "setp.ne.u32 %p1, %r0, 0;\n@%p1 exit;\nadd.u32 %r5, %r60, 1;\n"
            "L: atom.global.add.u32 %r3, [%rd0], 1;\nsetp.ge.u32 %p2, %r3, 24;\n@%p2 exit;\n"
            "mul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd3, %rd0, %rd3;\nst.global.u32 [%rd3+64], %r5;\nbra L;\n"),
        .grid = 3,
        .seed = seed,
        .workers = 1 + (unsigned)seed % 2};
    expect_done(&run);
    uint32_t taken[4] = {0};
    for (int tile = 0; tile < 24; tile++)
      taken[run.words[16 + tile]]++;
    assert_int_equal(taken[0], 0);
    if (!taken[1] + !taken[2] + !taken[3] > 1)
      fail_msg("seed %u: %u, %u, %u tiles", (unsigned)seed, taken[1], taken[2], taken[3]);
  }
}

static void test_locks_are_handed_on(void **state) { // every thread of every block takes the same lock
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("L: atom.global.acquire.cas.b32 %r3, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n"
                 "@%p1 bra L;\nld.volatile.global.u32 %r4, [%rd0+4];\nadd.u32 %r4, %r4, 1;\n"
                 "st.volatile.global.u32 [%rd0+4], %r4;\natom.global.release.exch.b32 %r3, [%rd0], 0;\n"),
      .grid = 5,
      .block = 64};
  expect_done(&run);
  assert_int_equal(run.words[1], 320);
}

// Every block from 7 on makes the same mistake. The lowest is reported.
static void test_reports_do_not_depend_on_workers(void **state) {
  (void)state;
  for (unsigned workers = 1; workers <= 4; workers++) {
    static struct kernel_run run;
    run = (struct kernel_run){
        .ptx = PTX("setp.lt.u32 %p1, %r60, 7;\n@%p1 exit;\nst.global.u32 [%rd0+65536], %r0;\n"),
        .grid = 60,
        .workers = workers,
        .seed = 3};
    kernel_run(&run);
    assert_int_equal(run.status, 700);
    assert_int_equal(run.faults, 1);
    assert_int_equal(run.block_of_fault, 7);
    assert_int_equal(run.blocks_with_fault, 53);
  }
}

// A plain load in a loop waits for a copy's bytes. No rule forbids that here (checking is off), and on the
// chip the bytes arrive.
static void test_copies_land_while_threads_are_busy(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".shared .align 128 .b8 tile[128];\n.shared .align 8 .b64 bar;\n" PTX_KERNEL(
          "st.global.u32 [%rd1], 5;\nmov.u32 %r3, tile;\nmov.u32 %r4, bar;\n"
          "st.shared.u32 [tile], 0;\nbar.sync 0;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra W;\n"
          "mbarrier.init.shared::cta.b64 [%r4], 1;\n"
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 128;\n"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd0], 128, [%r4];\n"
          "W: ld.shared.u32 %r5, [tile];\n"
          "setp.eq.u32 %p2, %r5, 0;\n@%p2 bra W;\nst.global.u32 [%rd1+128], %r5;\n")};
  expect_done(&run);
  assert_int_equal(run.words[63], 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_workers_change_nothing),
      cmocka_unit_test(test_seeds_change_the_order),
      cmocka_unit_test(test_blocks_of_a_grid_meet),
      cmocka_unit_test(test_more_blocks_than_fit_never_meet),
      cmocka_unit_test(test_counted_barriers),
      cmocka_unit_test(test_barrier_reductions),
      cmocka_unit_test(test_warp_arrives_in_parts),
      cmocka_unit_test(test_distributed_shared_memory),
      cmocka_unit_test(test_cluster_barrier_forgives_exits),
      cmocka_unit_test(test_exited_blocks_memory_is_gone),
      cmocka_unit_test(test_deadlock_says_who_waits),
      cmocka_unit_test(test_barriers_count_who_cannot_come),
      cmocka_unit_test(test_deadlock_blames_a_barrier_in_a_branch),
      cmocka_unit_test(test_spinning_for_ever_is_a_deadlock),
      cmocka_unit_test(test_endless_loop),
      cmocka_unit_test(test_seconds_judge_nothing),
      cmocka_unit_test(test_a_grid_without_end),
      cmocka_unit_test(test_endless_loop_of_two_ways),
      cmocka_unit_test(test_time_outs_end),
      cmocka_unit_test(test_polls_between_barriers),
      cmocka_unit_test(test_tiles_are_spread),
      cmocka_unit_test(test_locks_are_handed_on),
      cmocka_unit_test(test_reports_do_not_depend_on_workers),
      cmocka_unit_test(test_copies_land_while_threads_are_busy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
