// Branches, calls and exits: every thread makes progress, lanes meet again, and calls return to the right
// place.
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

// out = 100 a + 10 b + c for the three lowest bits of the lane. Then all lanes meet in a ballot.
static void test_nested_divergence(void **state) {
  (void)state;
  static struct kernel_run run = {.ptx =
                                      PTX("and.b32 %r3, %r0, 1;\nsetp.ne.u32 %p1, %r3, 0;\nmov.u32 %r10, 0;\n"
                                          "@%p1 bra A;\nand.b32 %r4, %r0, 2;\nsetp.ne.u32 %p2, %r4, 0;\n"
                                          "@%p2 bra B;\nadd.u32 %r10, %r10, 1;\nbra D;\n"
                                          "B: add.u32 %r10, %r10, 10;\nbra D;\nA: and.b32 %r4, %r0, 4;\n"
                                          "setp.ne.u32 %p3, %r4, 0;\n@%p3 bra C;\n"
                                          "add.u32 %r10, %r10, 100;\nbra D;\nC: add.u32 %r10, %r10, 1000;\n"
                                          "D: activemask.b32 %r11;\npopc.b32 %r11, %r11;\n"
                                          "mul.lo.u32 %r11, %r11, 10000;\nadd.u32 %r10, %r10, %r11;\n"
                                          "st.global.u32 [%rd1], %r10;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++) {
    uint32_t expected = lane & 1 ? (lane & 4 ? 1000 : 100) : (lane & 2 ? 10 : 1);
    assert_int_equal(run.words[lane], expected + 320000);
  }
}

static void test_loops_of_different_lengths(void **state) { // lane i loops i + 1 times
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("mov.u32 %r3, 0;\nmov.u32 %r4, 0;\nL: add.u32 %r4, %r4, %r3;\nadd.u32 %r3, %r3, 1;\n"
                 "setp.le.u32 %p1, %r3, %r0;\n@%p1 bra L;\nvote.sync.ballot.b32 %r5, 1, 0xffffffff;\n"
                 "xor.b32 %r4, %r4, %r5;\nst.global.u32 [%rd1], %r4;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], (lane * (lane + 1) / 2) ^ 0xffffffffu);
}

// One lane sets a flag, and the other lanes of its warp spin on the flag. In the code the spinning lanes
// stand before or after the producer.
static void test_producer_among_spinners(void **state) {
  (void)state;
  static const char *const texts[] = {
      PTX_HEADER ".shared .align 4 .u32 flag;\n" PTX_KERNEL(
          "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra P;\nS: ld.volatile.shared.u32 %r3, [flag];\n"
          "setp.ne.u32 %p2, %r3, 77;\n@%p2 bra S;\nbra E;\n"
          "P: mov.u32 %r4, 0;\nQ: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 5000;\n"
          "@%p3 bra Q;\nmov.u32 %r3, 77;\nst.volatile.shared.u32 [flag], 77;\n"
          "E: st.global.u32 [%rd1], %r3;\n"),
      PTX_HEADER ".shared .align 4 .u32 flag;\n" PTX_KERNEL(
          "setp.ne.u32 %p1, %r0, 31;\n@%p1 bra S;\nmov.u32 %r4, 0;\n"
          "Q: add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 5000;\n@%p3 bra Q;\n"
          "mov.u32 %r3, 77;\nst.volatile.shared.u32 [flag], 77;\nbra E;\n"
          "S: ld.volatile.shared.u32 %r3, [flag];\nsetp.ne.u32 %p2, %r3, 77;\n@%p2 bra S;\n"
          "E: st.global.u32 [%rd1], %r3;\n")};
  for (size_t i = 0; i < 2; i++) {
    for (uint64_t seed = 0; seed < 4; seed++) {
      static struct kernel_run run;
      run = (struct kernel_run){.ptx = texts[i], .seed = seed};
      expect_done(&run);
      for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(run.words[lane], 77);
    }
  }
}

// There is no volatile and no atomic: only the limit of a turn ends such a spin.
static void test_plain_spin_is_preempted(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".shared .align 4 .u32 flag;\n" PTX_KERNEL(
          "st.shared.u32 [flag], 0;\nbar.warp.sync 0xffffffff;\nsetp.eq.u32 %p1, %r0, 5;\n@%p1 bra P;\n"
          "S: ld.shared.u32 %r3, [flag];\nsetp.eq.u32 %p2, %r3, 0;\n"
          "@%p2 bra S;\nbra E;\nP: mov.u32 %r3, 1;\nst.shared.u32 [flag], 1;\n"
          "E: st.global.u32 [%rd1], %r3;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], 1);
}

static void test_branch_table(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("and.b32 %r3, %r0, 3;\nT: .branchtargets A, B, C, D;\nbrx.idx %r3, T;\n"
                 "A: mov.u32 %r4, 10;\nbra E;\nB: mov.u32 %r4, 20;\n"
                 "bra E;\nC: mov.u32 %r4, 30;\nbra E;\nD: mov.u32 %r4, 40;\n"
                 "E: st.global.u32 [%rd1], %r4;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], 10 * (lane % 4 + 1));
}

#define FIBONACCI                                                         \
  ".func (.param .b32 result) fib(.param .b32 n)\n{\n.reg .pred %p<2>;\n" \
  ".reg .b32 %r<8>;\nld.param.u32 %r1, [n];\nmov.u32 %r2, %r1;\n"         \
  "setp.lt.u32 %p1, %r1, 2;\n@%p1 bra DONE;\n{\n.param .b32 a;\n"         \
  ".param .b32 b;\nsub.u32 %r3, %r1, 1;\nst.param.b32 [a], %r3;\n"        \
  "call (b), fib, (a);\nld.param.b32 %r4, [b];\n}\n{\n.param .b32 a;\n"   \
  ".param .b32 b;\nsub.u32 %r3, %r1, 2;\nst.param.b32 [a], %r3;\n"        \
  "call (b), fib, (a);\nld.param.b32 %r5, [b];\n}\n"                      \
  "add.u32 %r2, %r4, %r5;\nDONE: st.param.b32 [result], %r2;\nret;\n}\n"

static void test_recursion(void **state) { // every lane recurses to another depth
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER FIBONACCI PTX_KERNEL(
          "and.b32 %r3, %r0, 15;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r3;\n"
          "call (b), fib, (a);\nld.param.b32 %r4, [b];\n}\nactivemask.b32 %r5;\n"
          "setp.eq.u32 %p1, %r5, 0xffffffff;\n@!%p1 mov.u32 %r4, 999999;\n"
          "st.global.u32 [%rd1], %r4;\n")};
  static const uint32_t fibonacci[16] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], fibonacci[lane % 16]);
}

// a table of functions in memory; lanes call different functions
static void test_indirect_calls(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx =
          PTX_HEADER ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<3>;\n"
                     "ld.param.u32 %r1, [x];\nshl.b32 %r1, %r1, 1;\nst.param.b32 [r], %r1;\nret;\n}\n"
                     ".func (.param .b32 r) square(.param .b32 x)\n{\n.reg .b32 %r<3>;\n"
                     "ld.param.u32 %r1, [x];\nmul.lo.u32 %r1, %r1, %r1;\nst.param.b32 [r], %r1;\nret;\n}\n"
                     ".global .align 8 .u64 table[2] = {twice, square};\n" PTX_KERNEL(
                         "and.b32 %r3, %r0, 1;\nmul.wide.u32 %rd3, %r3, 8;\nmov.u64 %rd2, table;\n"
                         "add.u64 %rd3, %rd2, %rd3;\nld.global.u64 %rd4, [%rd3];\n"
                         "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r0;\n"
                         "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                         "call (b), %rd4, (a), P;\nld.param.b32 %r4, [b];\n}\nst.global.u32 [%rd1], %r4;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], lane & 1 ? lane * lane : 2 * lane);
}

static void test_endless_recursion(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER
      ".func f(.param .b32 x)\n{\n.local .align 8 .b8 frame[256];\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n"
      "ld.param.u32 %r1, [x];\nmov.u64 %rd1, frame;\nst.local.u32 [%rd1], %r1;\n{\n.param .b32 a;\n"
      "st.param.b32 [a], %r1;\ncall f, (a);\n}\nret;\n}\n" PTX_KERNEL(
          "{\n.param .b32 a;\nst.param.b32 [a], %r0;\ncall f, (a);\n}\n")};
  kernel_run(&run);
  assert_int_equal(run.status, 700);
  assert_string_equal(run.rule, "out-of-bounds");
}

// Each call holds 32 bytes of registers and 6000 bytes of parameters a thread: 64 KiB are 10 calls.
static void test_recursion_with_many_registers(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".func f(.param .align 4 .b8 x[6000])\n{\n.reg .b32 %r<3>;\n"
                        "ld.param.u32 %r1, [x];\n{\n.param .align 4 .b8 a[6000];\nst.param.b32 [a], %r1;\n"
                        "call f, (a);\n}\nret;\n}\n" PTX_KERNEL(
                            "{\n.param .align 4 .b8 a[6000];\nst.param.b32 [a], %r0;\ncall f, (a);\n}\n")};
  kernel_run(&run);
  assert_int_equal(run.status, 700);
  assert_string_equal(run.rule, "out-of-bounds");
  assert_non_null(strstr(
      run.message,
      "and need more than the 64 KiB of registers that a thread has for them, 64 times cudaLimitStackSize"));
}

static void test_local_memory_of_calls(void **state) { // a caller's local array survives the callee's
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER
      ".func f(.param .b32 x)\n{\n.local .align 4 .b8 mine[16];\n"
      ".reg .b32 %r<3>;\n.reg .b64 %rd<3>;\nld.param.u32 %r1, [x];\n"
      "mov.u64 %rd1, mine;\nst.local.u32 [%rd1], %r1;\nst.local.u32 [%rd1+12], %r1;\nret;\n}\n" PTX_KERNEL(
          ".local .align 4 .b8 array[16];\nmov.u64 %rd2, array;\n"
          "cvta.local.u64 %rd3, %rd2;\nadd.u32 %r3, %r0, 7;\n"
          "st.u32 [%rd3+8], %r3;\n{\n.param .b32 a;\nst.param.b32 [a], %r1;\n"
          "call f, (a);\n}\nld.local.u32 %r4, [%rd2+8];\n"
          "st.global.u32 [%rd1], %r4;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], lane + 7);
}

static void test_exits_inside_a_branch(void **state) {
  (void)state;
  static struct kernel_run run = {.ptx = PTX("st.global.u32 [%rd1], 1;\nsetp.lt.u32 %p1, %r0, 40;\n"
                                             "@%p1 exit;\nbar.sync 0;\nst.global.u32 [%rd1], 2;\n"),
                                  .block = 70};
  expect_done(&run);
  for (uint32_t t = 0; t < 70; t++)
    assert_int_equal(run.words[t], t < 40 ? 1 : 2);
  assert_int_equal(run.words[70], 0);
}

static void test_trap(void **state) {
  (void)state;
  static struct kernel_run run = {.ptx = PTX("setp.eq.u32 %p1, %r0, 3;\n@%p1 trap;\n")};
  kernel_run(&run);
  assert_int_equal(run.status, 719);
  assert_string_equal(run.rule, "trap");
}

// A register that is written in one turn of a loop and read in the next must keep its place, although no read
// follows the write in the code.
static void test_values_carried_round_a_loop(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("mov.u32 %r3, 0;\nmov.u32 %r4, 0;\nL: setp.eq.u32 %p1, %r3, 0;\n"
                 "@%p1 bra FIRST;\nadd.u32 %r4, %r4, %r20;\nbra NEXT;\n"
                 "FIRST: mov.u32 %r21, 5;\nadd.u32 %r4, %r4, %r21;\nNEXT: mov.u32 %r22, 3;\n"
                 "mul.lo.u32 %r23, %r22, %r3;\nadd.u32 %r20, %r23, %r0;\n"
                 "add.u32 %r24, %r3, 1;\nmov.u32 %r3, %r24;\n"
                 "setp.lt.u32 %p2, %r3, 6;\n@%p2 bra L;\nst.global.u32 [%rd1], %r4;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++)
    assert_int_equal(run.words[lane], 5 + 3 * (0 + 1 + 2 + 3 + 4) + 5 * lane);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nested_divergence),
      cmocka_unit_test(test_loops_of_different_lengths),
      cmocka_unit_test(test_producer_among_spinners),
      cmocka_unit_test(test_plain_spin_is_preempted),
      cmocka_unit_test(test_branch_table),
      cmocka_unit_test(test_recursion),
      cmocka_unit_test(test_indirect_calls),
      cmocka_unit_test(test_endless_recursion),
      cmocka_unit_test(test_recursion_with_many_registers),
      cmocka_unit_test(test_local_memory_of_calls),
      cmocka_unit_test(test_exits_inside_a_branch),
      cmocka_unit_test(test_trap),
      cmocka_unit_test(test_values_carried_round_a_loop),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
