// Operations of several lanes together, against a model in C. Lanes must also wait for late lanes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-run.h"

static void expect_done(struct kernel_run *run) {
  kernel_run(run);
  if (run->status) print_error("status %d: %s %s %s\n", run->status, run->rule, run->message, run->what);
  assert_int_equal(run->status, 0);
  assert_int_equal(run->faults, 0);
}

// PTX ISA 9.7.9.6, written a second time, in signed arithmetic.
static int shuffle_model(const char *mode, int lane, int b, int c, int *inside) {
  int segment = c >> 8 & 31, clamp = c & 31;
  int most = (lane & segment) | (clamp & ~segment), least = lane & segment, from = lane;
  if (!strcmp(mode, "up")) *inside = (from = lane - b) >= most;
  if (!strcmp(mode, "down")) *inside = (from = lane + b) <= most;
  if (!strcmp(mode, "bfly")) *inside = (from = lane ^ b) <= most;
  if (!strcmp(mode, "idx")) *inside = (from = least | (b & ~segment)) <= most;
  return *inside ? from : lane;
}

static void test_shuffles(void **state) {
  (void)state;
  static const struct {
    const char *mode;
    int b, c;
  } cases[] = {{"up", 1, 0},        {"up", 5, 0},     {"up", 3, 0x1800},  {"down", 1, 31},
               {"down", 7, 0x181f}, {"down", 40, 31}, {"bfly", 16, 31},   {"bfly", 3, 31},
               {"bfly", 1, 0x1c1f}, {"idx", 0, 31},   {"idx", 9, 0x181f}, {"idx", 31, 31},
               {"idx", 3, 0x1000}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "%s.visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .pred %%p<3>;\n"
             ".reg .b32 %%r<8>;\n.reg .b64 %%rd<4>;\nld.param.u64 %%rd1, [out];\n"
             "mov.u32 %%r1, %%laneid;\nadd.u32 %%r2, %%r1, 100;\n"
             "shfl.sync.%s.b32 %%r3|%%p1, %%r2, %d, %d, 0xffffffff;\nselp.u32 %%r4, 1000, 0, %%p1;\n"
             "add.u32 %%r3, %%r3, %%r4;\nmul.wide.u32 %%rd2, %%r1, 4;\n"
             "add.u64 %%rd1, %%rd1, %%rd2;\nst.global.u32 [%%rd1], %%r3;\nret;\n}\n",
             PTX_HEADER, cases[i].mode, cases[i].b, cases[i].c);
    static struct kernel_run run;
    run = (struct kernel_run){.ptx = text};
    expect_done(&run);
    for (int lane = 0; lane < 32; lane++) {
      int inside = 0, from = shuffle_model(cases[i].mode, lane, cases[i].b & 31, cases[i].c, &inside);
      if (run.words[lane] != (uint32_t)(100 + from + 1000 * inside))
        print_error("shfl.%s %d, 0x%x, lane %d\n", cases[i].mode, cases[i].b, cases[i].c, lane);
      assert_int_equal(run.words[lane], 100 + from + 1000 * inside);
    }
  }
}

static void test_votes(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("setp.lt.u32 %p1, %r0, 20;\nvote.sync.ballot.b32 %r3, %p1, 0xffffffff;\n"
                 "vote.sync.all.pred %p2, %p1, 0xffffffff;\n"
                 "vote.sync.any.pred %p3, %p1, 0xffffffff;\nvote.sync.uni.pred %p4, %p1, 0xffffffff;\n"
                 "vote.sync.ballot.b32 %r4, !%p1, 0xffffffff;\n"
                 "selp.u32 %r5, 1, 0, %p2;\nselp.u32 %r6, 2, 0, %p3;\n"
                 "selp.u32 %r7, 4, 0, %p4;\nadd.u32 %r5, %r5, %r6;\nadd.u32 %r5, %r5, %r7;\n"
                 "xor.b32 %r4, %r4, %r3;\nst.global.u32 [%rd1], %r3;\n"
                 "st.global.u32 [%rd1+128], %r4;\nst.global.u32 [%rd1+256], %r5;\n")};
  expect_done(&run);
  for (int lane = 0; lane < 32; lane++) {
    assert_int_equal(run.words[lane], 0xfffff);
    assert_int_equal(run.words[32 + lane], 0xffffffff);
    assert_int_equal(run.words[64 + lane], 2);
  }
}

static void test_match_redux_elect(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("shr.u32 %r3, %r0, 3;\nmatch.any.sync.b32 %r4, %r3, 0xffffffff;\n"
                 "match.all.sync.b32 %r5|%p1, %r3, 0xffffffff;\n"
                 "cvt.u64.u32 %rd3, %r1;\nmatch.all.sync.b64 %r6|%p2, %rd3, 0xffffffff;\n"
                 "selp.u32 %r7, 1, 0, %p1;\nselp.u32 %r8, 2, 0, %p2;\n"
                 "add.u32 %r7, %r7, %r8;\nst.global.u32 [%rd1], %r4;\nadd.u32 %r7, %r7, %r5;\n"
                 "xor.b32 %r7, %r7, %r6;\nst.global.u32 [%rd1+128], %r7;\n"
                 "sub.s32 %r9, %r0, 16;\nredux.sync.min.s32 %r10, %r9, 0xffffffff;\n"
                 "redux.sync.max.u32 %r11, %r9, 0xffffffff;\n"
                 "redux.sync.add.s32 %r12, %r9, 0xffffffff;\nredux.sync.xor.b32 %r13, %r0, 0xffffffff;\n"
                 "add.u32 %r10, %r10, %r11;\nadd.u32 %r10, %r10, %r12;\n"
                 "add.u32 %r10, %r10, %r13;\nst.global.u32 [%rd1+256], %r10;\n"
                 "elect.sync %r14|%p3, 0xffffffff;\nselp.u32 %r15, 100, 0, %p3;\n"
                 "add.u32 %r14, %r14, %r15;\nst.global.u32 [%rd1+384], %r14;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++) {
    assert_int_equal(run.words[lane], 0xffu << lane / 8 * 8);
    assert_int_equal(run.words[32 + lane], 2 ^ 0xffffffffu);
    assert_int_equal(run.words[64 + lane], (uint32_t)(-16 - 1 - 16 + 0));
    assert_int_equal(run.words[96 + lane], lane == 0 ? 100 : 0);
  }
}

// Half of the warp executes a long detour before the shuffle.
static void test_latecomers_are_awaited(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("and.b32 %r3, %r0, 1;\nsetp.eq.u32 %p1, %r3, 0;\nmov.u32 %r4, 0;\n"
                 "@%p1 bra M;\nL: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p2, %r4, 9000;\n"
                 "@%p2 bra L;\nM: add.u32 %r5, %r4, %r0;\n"
                 "shfl.sync.bfly.b32 %r6, %r5, 1, 31, 0xffffffff;\nst.global.u32 [%rd1], %r6;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], lane & 1 ? lane - 1 : 9000 + lane + 1);
}

// Even lanes shuffle among themselves, and so do odd lanes, at different instructions.
static void test_groups_of_a_warp(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("and.b32 %r3, %r0, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra EVEN;\n"
                 "redux.sync.add.u32 %r4, %r0, 0xaaaaaaaa;\nbar.warp.sync 0xaaaaaaaa;\nbra E;\n"
                 "EVEN: redux.sync.add.u32 %r4, %r0, 0x55555555;\n"
                 "bar.warp.sync 0x55555555;\nE: st.global.u32 [%rd1], %r4;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], lane & 1 ? 256 : 240);
}

static void test_masks_in_a_register(void **state) { // one instruction, four groups
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("shr.u32 %r3, %r0, 3;\nshl.b32 %r3, %r3, 3;\nmov.u32 %r4, 255;\nshl.b32 %r4, %r4, %r3;\n"
                 "redux.sync.add.u32 %r5, %r0, %r4;\nst.global.u32 [%rd1], %r5;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], 28 + lane / 8 * 64);
}

// bar.warp.sync: any two with the same mask meet.
static void test_syncwarp_at_two_places(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".shared .align 4 .b8 box[128];\n" PTX_KERNEL(
          "mov.u32 %r5, box;\nshl.b32 %r6, %r0, 2;\nadd.u32 %r6, %r5, %r6;\n"
          "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra LOW;\nst.shared.u32 [%r6], %r0;\n"
          "bar.warp.sync 0xffffffff;\nld.shared.u32 %r7, [%r6+-64];\n"
          "bra E;\nLOW: add.u32 %r8, %r0, 500;\nst.shared.u32 [%r6], %r8;\n"
          "bar.warp.sync 0xffffffff;\nld.shared.u32 %r7, [%r6+64];\nE: st.global.u32 [%rd1], %r7;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], lane < 16 ? lane + 16 : lane - 16 + 500);
}

static void test_exited_lanes_are_not_awaited(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("setp.ge.u32 %p1, %r0, 24;\n@%p1 bra OUT;\n"
                 "vote.sync.ballot.b32 %r3, 1, 0xffffffff;\nst.global.u32 [%rd1], %r3;\nret;\n"
                 "OUT: mov.u32 %r4, 0;\nL: add.u32 %r4, %r4, 1;\n"
                 "setp.lt.u32 %p2, %r4, 5000;\n@%p2 bra L;\nexit;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 24; lane++)
    assert_int_equal(run.words[lane], 0xffffff);
}

static void test_missing_lane_is_a_deadlock(void **state) {
  (void)state;
  static struct kernel_run run = {.ptx = PTX("setp.eq.u32 %p1, %r0, 3;\n@%p1 bra OTHER;\n"
                                             "bar.warp.sync 0xffffffff;\nret;\nOTHER: bar.sync 0;\n")};
  kernel_run(&run);
  assert_int_equal(run.status, 702);
  assert_string_equal(run.rule, "warp-sync-mask");
  assert_non_null(strstr(run.message, "0xffffffff"));
  assert_non_null(strstr(run.message, "0x00000008"));
}

static void test_old_forms_are_named(void **state) {
  (void)state;
  static struct kernel_run run = {.ptx = PTX("vote.ballot.b32 %r3, 1;\n")};
  kernel_run(&run);
  assert_int_equal(run.status, 209);
  assert_int_equal(run.unsupported, 1);
  assert_non_null(strstr(run.what, "vote.ballot"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shuffles),
      cmocka_unit_test(test_votes),
      cmocka_unit_test(test_match_redux_elect),
      cmocka_unit_test(test_latecomers_are_awaited),
      cmocka_unit_test(test_groups_of_a_warp),
      cmocka_unit_test(test_masks_in_a_register),
      cmocka_unit_test(test_syncwarp_at_two_places),
      cmocka_unit_test(test_exited_lanes_are_not_awaited),
      cmocka_unit_test(test_missing_lane_is_a_deadlock),
      cmocka_unit_test(test_old_forms_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
