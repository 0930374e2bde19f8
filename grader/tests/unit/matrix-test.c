// Errors of ldmatrix, stmatrix and mma: rows with bad addresses, missing lanes, forms of other GPUs.
// grader/tests/programs/matrix-moves.cu and matrix-products.cu check the results.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-run.h"

#define ROWS \
  ".shared .align 16 .b8 rows[1024];\nmov.u32 %r3, rows;\nshl.b32 %r4, %r0, 4;\nadd.u32 %r3, %r3, %r4;\n"
#define LOAD(at)  "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [" at "];\n"
#define STORE(at) "stmatrix.sync.aligned.m8n8.x4.shared.b16 [" at "], {%r0, %r0, %r0, %r0};\n"

static void expect_fault(struct kernel_run *run, const char *rule, const char *words) {
  kernel_run(run);
  if (strcmp(run->rule, rule) != 0 || !strstr(run->message, words))
    print_error("status %d: %s %s %s\n", run->status, run->rule, run->message, run->what);
  assert_string_equal(run->rule, rule);
  assert_non_null(strstr(run->message, words));
}

static void test_rows_that_lead_nowhere(void **state) {
  (void)state;
  static const struct {
    const char *text, *rule, *words;
  } cases[] = {
      {PTX(ROWS LOAD("%r3+8")), "misaligned-address", "not a multiple of 16"},
      {PTX(ROWS STORE("%r3+2")), "misaligned-address", "not a multiple of 16"},
      {PTX(ROWS LOAD("%r3+1024")), "out-of-bounds", "past the block's 1024 bytes"},
      {PTX(ROWS STORE("%r3+2048")), "out-of-bounds", "past the block's 1024 bytes"},
      {PTX("ldmatrix.sync.aligned.m8n8.x1.b16 {%r10}, [%rd0];\n"), "out-of-bounds",
       "outside the shared memory of its own block"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct kernel_run run;
    run = (struct kernel_run){.ptx = cases[i].text, .check = true};
    expect_fault(&run, cases[i].rule, cases[i].words);
  }
}

static void test_rows_of_lanes_that_give_none(void **state) { // x1: lanes 8 to 31 may hold any address
  (void)state;
  static struct kernel_run run = {
      .ptx =
          PTX(ROWS "st.shared.v4.u32 [%r3], {%r0, %r0, %r0, %r0};\n"
                   "bar.warp.sync 0xffffffff;\nsetp.gt.u32 %p0, %r0, 7;\n"
                   "@%p0 mov.u32 %r3, 0xfffffff1;\n"
                   "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r3];\nst.global.u32 [%rd1], %r10;\n"),
      .check = true};
  kernel_run(&run);
  assert_int_equal(run.status, 0);
  assert_int_equal(run.faults, 0);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], lane / 4);
}

static void test_other_blocks_rows(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX(ROWS "xor.b32 %r5, %r60, 1;\nmapa.shared::cluster.u32 %r3, %r3, %r5;\n" LOAD(
          "%r3") "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"),
      .grid = 2,
      .cluster = 2,
      .check = true};
  expect_fault(&run, "out-of-bounds", "outside the shared memory of its own block");
}

static void test_missing_lanes(void **state) {
  (void)state;
  static struct kernel_run gone = {.ptx = PTX(ROWS "setp.eq.u32 %p0, %r0, 5;\n@%p0 exit;\n" LOAD("%r3"))};
  expect_fault(&gone, "warp-sync-mask", "lanes 0x00000020 of warp 0 have left");
  static struct kernel_run never = {.ptx = PTX(ROWS "movmatrix.sync.aligned.m8n8.trans.b16 %r5, %r0;\n"),
                                    .block = 48};
  expect_fault(&never, "warp-sync-mask", "the block has 48 threads");
  static struct kernel_run product = {
      .ptx = PTX("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r3, %r4}, {%r0}, {%r0}, {%r0, %r0};\n"),
      .block = 16};
  expect_fault(&product, "warp-sync-mask", "the block has 16 threads");
  static struct kernel_run elsewhere = {
      .ptx = PTX(ROWS "setp.lt.u32 %p0, %r0, 16;\n@%p0 bra HERE;\nbar.warp.sync 0xffffffff;\nbra END;\n"
                      "HERE:\n" LOAD("%r3") "END:\n")};
  expect_fault(&elsewhere, "warp-sync-mask", "never do");
}

// Rows that another lane has just written: .sync waits for the lanes, but does not order memory.
static void test_order_within_the_warp(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX(ROWS "xor.b32 %r5, %r4, 16;\nmov.u32 %r6, rows;\n"
                      "add.u32 %r5, %r5, %r6;\nst.shared.u32 [%r5], %r0;\n" LOAD("%r3")),
      .check = true};
  expect_fault(&run, "shared-race", "");
  static struct kernel_run after = {
      // and an access after the instruction is ordered after the reads of all lanes
      .ptx = PTX(ROWS LOAD("%r3") "xor.b32 %r5, %r4, 16;\nmov.u32 %r6, rows;\n"
                                  "add.u32 %r5, %r5, %r6;\nst.shared.u32 [%r5], %r10;\n"),
      .check = true};
  kernel_run(&after);
  assert_int_equal(after.faults, 0);
}

static void test_forms_of_other_gpus(void **state) {
  (void)state;
  static const char *const texts[] = {
      PTX(ROWS "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r10, %r11}, [%r3];\n"),
      PTX(ROWS "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r3], {%r10};\n"),
      PTX(ROWS "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10}, [%r3];\n"),
      PTX(ROWS "ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r10}, [%r3];\n"),
      PTX("mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 "
          "{%f0, %f1, %f2, %f3}, {%r0, %r0, %r0, %r0}, {%r0, %r0}, {%f0, %f1, %f2, %f3};\n"),
      PTX("mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
          "{%f0, %f1, %f2, %f3}, {%r0, %r0, %r0, %r0}, {%r0, %r0}, {%f0, %f1, %f2, %f3};\n"),
      PTX("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32.xor {%r3, %r4}, {%r0}, {%r0}, {%r0, %r0};\n"),
      PTX("mma.sync.aligned.m8n8k4.row.col.rz.f16.f16.f16.f16 {%r3, %r4, %r5, %r6}, {%r0, %r0}, {%r0, %r0}, "
          "{%r0, %r0, %r0, %r0};\n"),
      PTX("mma.sync.aligned.m16n8k16.row.col.rz.f32.f16.f16.f32 "
          "{%f0, %f1, %f2, %f3}, {%r0, %r0, %r0, %r0}, {%r0, %r0}, {%f0, %f1, %f2, %f3};\n"),
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    static struct kernel_run run;
    run = (struct kernel_run){.ptx = texts[i]};
    kernel_run(&run);
    if (run.unsupported != 1) print_error("text %zu: status %d, %s\n", i, run.status, run.what);
    assert_int_equal(run.unsupported, 1);
    assert_true(strstr(run.what, "matrix") || strstr(run.what, "mma"));
  }
}

// f16 has twice as many registers as units: the second half repeats the first, and is read from memory once.
static void test_repeated_registers(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX(ROWS "st.shared.v4.u32 [%r3], {%r0, %r0, %r0, %r0};\nbar.warp.sync 0xffffffff;\n"
                      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
                      "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [rows], 16;\n"
                      "st.global.u32 [%rd1], %r14;\nst.global.u32 [%rd1+128], %r15;\n"),
      .check = true};
  kernel_run(&run);
  assert_int_equal(run.status, 0);
  assert_int_equal(run.faults, 0);
  for (uint32_t lane = 0; lane < 32; lane++) {
    assert_int_equal(run.words[lane], lane / 4);
    assert_int_equal(run.words[32 + lane], 8 + lane / 4);
  }
  assert_int_equal(run.observed.shared_load_bytes, 16 * 16 * 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_that_lead_nowhere), cmocka_unit_test(test_rows_of_lanes_that_give_none),
      cmocka_unit_test(test_other_blocks_rows),      cmocka_unit_test(test_missing_lanes),
      cmocka_unit_test(test_order_within_the_warp),  cmocka_unit_test(test_forms_of_other_gpus),
      cmocka_unit_test(test_repeated_registers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
