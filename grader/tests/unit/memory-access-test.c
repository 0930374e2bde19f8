// Loads and stores of every width and space, and the messages for a wrong address.
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

// One word is read in parts.
static void test_widths_and_signs(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx =
          PTX("add.u32 %r3, %r0, 0x80f0e0d0;\nst.global.u32 [%rd1], %r3;\n"
              "ld.global.u8 %r4, [%rd1+3];\nld.global.s8 %r5, [%rd1+3];\n"
              "ld.global.u16 %r6, [%rd1+2];\nld.global.s16 %r7, [%rd1+2];\n"
              "ld.global.s8 %h1, [%rd1+3];\ncvt.u32.u16 %r8, %h1;\n"
              "ld.global.s32 %rd3, [%rd1];\nshr.u64 %rd4, %rd3, 32;\ncvt.u32.u64 %r9, %rd4;\n"
              "st.global.u8 [%rd1+4096], %r5;\nst.global.u16 [%rd1+4098], %r7;\n"
              "ld.global.u32 %r10, [%rd1+4096];\nadd.u32 %r4, %r4, %r5;\n"
              "add.u32 %r4, %r4, %r6;\nadd.u32 %r4, %r4, %r7;\nadd.u32 %r4, %r4, %r8;\n"
              "add.u32 %r4, %r4, %r9;\nst.global.u32 [%rd1+8192], %r4;\nst.global.u32 [%rd1+4096], %r10;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++) {
    assert_int_equal(run.words[2048 + lane],
                     (uint32_t)(0x80 + 0xffffff80 + 0x80f0 + 0xffff80f0 + 0xff80 + 0xffffffff));
    assert_int_equal(run.words[1024 + lane], 0x80f00080u);
  }
}

static void test_vectors(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("mul.wide.u32 %rd3, %r0, 16;\nadd.u64 %rd3, %rd0, %rd3;\n"
                 "add.u32 %r3, %r0, 100;\nadd.u32 %r4, %r0, 200;\nadd.u32 %r5, %r0, 300;\n"
                 "st.global.v4.u32 [%rd3], {%r0, %r3, %r4, %r5};\n"
                 "ld.global.nc.L1::no_allocate.v2.u64 {%rd4, %rd5}, [%rd3];\n"
                 "st.global.v2.b64 [%rd3+4096], {%rd5, %rd4};\n"
                 "ld.global.v4.u8 {%r6, %r7, %r8, %r9}, [%rd3+4];\nld.global.v2.u32 {_, %r10}, [%rd3+8];\n"
                 "add.u32 %r6, %r6, %r10;\nst.global.u32 [%rd1+8192], %r6;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++) {
    for (uint32_t i = 0; i < 4; i++)
      assert_int_equal(run.words[4 * lane + i], lane + 100 * i);
    for (uint32_t i = 0; i < 4; i++)
      assert_int_equal(run.words[1024 + 4 * lane + (i + 2) % 4], lane + 100 * i);
    assert_int_equal(run.words[2048 + lane], lane + 100 + lane + 300);
  }
}

static void test_128_bits(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX(
          ".reg .b128 %q<2>;\nmul.wide.u32 %rd3, %r0, 16;\nadd.u64 %rd3, %rd0, %rd3;\nadd.u32 %r3, %r0, 7;\n"
          "st.global.v4.u32 [%rd3], {%r0, %r3, %r0, %r3};\n"
          "ld.global.b128 %q0, [%rd3];\nst.global.b128 [%rd3+4096], %q0;\n")};
  expect_done(&run);
  assert_memory_equal(run.words, run.words + 1024, 512);
  assert_int_equal(run.words[4 * 31 + 3], 38);
}

// The lanes of one instruction access global, shared and local memory.
static void test_generic_addresses(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER
      ".shared .align 4 .b8 box[128];\n.const .align 4 .u32 table[4] = {11, 22, 33, 44};\n" PTX_KERNEL(
          ".local .align 4 .b8 own[8];\nmov.u32 %r3, box;\nshl.b32 %r4, %r0, 2;\n"
          "add.u32 %r3, %r3, %r4;\ncvt.u64.u32 %rd3, %r3;\ncvta.shared.u64 %rd3, %rd3;\n"
          "mov.u64 %rd4, own;\ncvta.local.u64 %rd4, %rd4;\nrem.u32 %r5, %r0, 3;\n"
          "setp.eq.u32 %p1, %r5, 0;\nsetp.eq.u32 %p2, %r5, 1;\nselp.b64 %rd5, %rd3, %rd4, %p1;\n"
          "selp.b64 %rd5, %rd1, %rd5, %p2;\nadd.u32 %r6, %r0, 1000;\nst.u32 [%rd5], %r6;\n"
          "ld.u32 %r7, [%rd5];\nmov.u64 %rd6, table;\nld.const.u32 %r8, [%rd6+8];\n"
          "cvta.const.u64 %rd7, %rd6;\nld.u32 %r9, [%rd7+4];\nadd.u32 %r7, %r7, %r8;\n"
          "add.u32 %r7, %r7, %r9;\nst.global.u32 [%rd1+128], %r7;\n")};
  expect_done(&run);
  for (uint32_t lane = 0; lane < 32; lane++) {
    assert_int_equal(run.words[lane], lane % 3 == 1 ? lane + 1000 : 0);
    assert_int_equal(run.words[32 + lane], lane + 1000 + 55);
  }
}

static void test_parameters_by_address(void **state) {
  (void)state;
  static struct kernel_run run = {
      .n = 4711,
      .ptx = PTX("mov.b64 %rd3, n;\nld.param.u32 %r3, [%rd3];\n"
                 "cvta.param.u64 %rd4, %rd3;\nld.u32 %r4, [%rd4];\nadd.u32 %r3, %r3, %r4;\n"
                 "st.global.u32 [%rd1], %r3;\n")};
  expect_done(&run);
  assert_int_equal(run.words[0], 2 * 4711);
}

static void test_static_and_dynamic_shared(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER
      ".shared .align 4 .b8 fixed[100];\n.extern .shared .align 128 .b8 dynamic[];\n" PTX_KERNEL(
          "mov.u32 %r3, fixed;\nmov.u32 %r4, dynamic;\nmov.u32 %r5, %dynamic_smem_size;\n"
          "add.u32 %r6, %r4, %r5;\nst.shared.u32 [%r6+-4], 9;\n"
          "ld.shared.u32 %r7, [dynamic+252];\nst.global.u32 [%rd1], %r3;\n"
          "st.global.u32 [%rd1+128], %r4;\nst.global.u32 [%rd1+256], %r7;\n"),
      .dynamic_shared = 256};
  expect_done(&run);
  assert_int_equal(run.words[0], 1024);
  assert_int_equal(run.words[32], 1152);
  assert_int_equal(run.words[64], 9);
}

static void test_bad_addresses(void **state) {
  (void)state;
  static const struct {
    const char *ptx;
    int status;
    const char *rule, *says;
  } cases[] = {
      {PTX("st.global.u32 [%rd0+16384], %r0;\n"), 700, "out-of-bounds", "end of `out`"},
      {PTX("ld.global.u32 %r3, [%rd0+-4];\n"), 700, "out-of-bounds", "`out`"},
      {PTX("ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd0+16376];\n"), 716, "misaligned-address", ""},
      {PTX("ld.global.u32 %r3, [%rd0+2];\n"), 716, "misaligned-address", ""},
      {PTX("mov.u64 %rd3, 0;\nld.u32 %r3, [%rd3];\n"), 700, "out-of-bounds", "null"},
      {PTX_HEADER ".shared .align 4 .b8 box[64];\n" PTX_KERNEL("st.shared.u32 [box+64], %r0;\n"), 700,
       "out-of-bounds", "shared"},
      {PTX_HEADER ".shared .align 8 .b8 box[64];\n" PTX_KERNEL("st.shared.v2.u32 [box+4], {%r0, %r0};\n"),
       716, "misaligned-address", ""},
      {PTX(".local .align 4 .b8 own[16];\nmov.u64 %rd3, own;\nst.local.u32 [%rd3+16], %r0;\n"), 700,
       "out-of-bounds", "local"},
      {PTX("mov.b64 %rd3, n;\ncvta.param.u64 %rd4, %rd3;\nst.u32 [%rd4], %r0;\n"), 700, "out-of-bounds", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct kernel_run run;
    run = (struct kernel_run){.ptx = cases[i].ptx};
    kernel_run(&run);
    if (run.status != cases[i].status || !strstr(run.message, cases[i].says))
      print_error("case %zu: %d %s: %s %s\n", i, run.status, run.rule, run.message, run.what);
    assert_int_equal(run.status, cases[i].status);
    assert_string_equal(run.rule, cases[i].rule);
    assert_non_null(strstr(run.message, cases[i].says));
  }
}

static void test_hints_are_accepted(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("ld.global.L1::evict_first.L2::128B.u32 %r3, [%rd1];\n"
                 "createpolicy.fractional.L2::evict_first.b64 %rd3, 1.0;\n"
                 "ld.global.L2::cache_hint.u32 %r4, [%rd1], %rd3;\n"
                 "st.global.L2::cache_hint.u32 [%rd1], 6, %rd3;\nst.global.cs.u32 [%rd1+128], 7;\n"
                 "prefetch.global.L2 [%rd1];\nld.relaxed.gpu.global.u32 %r5, [%rd1];\n"
                 "st.release.sys.global.u32 [%rd1+256], %r5;\nldu.global.u32 %r6, [%rd1];\n"
                 "discard.global.L2 [%rd0+8192], 128;\n")};
  expect_done(&run);
  assert_int_equal(run.words[0], 6);
  assert_int_equal(run.words[32], 7);
  assert_int_equal(run.words[64], 6);
}

static void test_bytes_are_counted(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".shared .align 4 .b8 box[256];\n" PTX_KERNEL(
          "ld.global.v2.u32 {%r3, %r4}, [%rd0];\nst.global.u16 [%rd1], %r3;\nst.shared.u32 [box], %r3;\n"
          "ld.shared.u8 %r5, [box];\nred.global.add.u32 [%rd0], 1;\n"),
      .block = 48};
  expect_done(&run);
  assert_int_equal(run.observed.plain_global_load_bytes, 48 * 8);
  assert_int_equal(run.observed.plain_global_store_bytes, 48 * 2);
  assert_int_equal(run.observed.shared_store_bytes, 48 * 4);
  assert_int_equal(run.observed.shared_load_bytes, 48);
  assert_int_equal(run.observed.atomic_global_bytes, 48 * 4);
  assert_int_equal(run.observed.handed_load_bytes, 48 * 8); // a reduction doesn't return the value in memory
  assert_int_equal(run.observed.handed_store_bytes, 48 * (2 + 4));
  assert_int_equal(run.observed.own_load_bytes, 0);
  assert_int_equal(run.observed.own_store_bytes, 0);
  assert_int_equal(run.observed.threads, 48);
}

// What is written to the case's buffers counts separately once a barrier of the block has completed a phase.
static void test_bytes_after_a_phase_are_counted(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".shared .align 8 .b64 full;\n.shared .align 16 .b8 box[16];\n"
                        ".global .align 16 .b8 own[16];\n" PTX_KERNEL(
                            "mov.u32 %r3, full;\nmov.u32 %r4, box;\nsetp.eq.u32 %p1, %r0, 0;\n"
                            "@%p1 mbarrier.init.shared.b64 [%r3], 32;\nst.global.u32 [%rd1], 1;\n"
                            "bar.sync 0;\nmbarrier.arrive.shared.b64 _, [%r3];\n"
                            "again:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n@!%p2 bra again;\n"
                            "st.global.u32 [%rd1], 2;\nred.global.add.u32 [%rd1+1024], 1;\n"
                            "st.shared.u32 [%r4], 3;\nst.global.u32 [own], 3;\n"),
      .block = 32};
  expect_done(&run);
  assert_int_equal(run.observed.handed_store_bytes, 32 * 4 * 3);
  assert_int_equal(run.observed.phase_store_bytes, 32 * 4 * 2);
}

// Zeros clear. What else is written to the case's buffers, and not by a reduction of the copy engine, are
// values: here a word of a store, one of a reduction by a thread, and 16 bytes of a bulk store.
static void test_values_are_counted(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".shared .align 16 .b8 zeros[16];\n.shared .align 16 .b8 box[16];\n"
                        ".global .align 16 .b8 own[16];\n" PTX_KERNEL(
                            "mov.u32 %r3, zeros;\nmov.u32 %r4, box;\nmov.u32 %r5, 0;\nmov.u64 %rd2, own;\n"
                            "cvta.global.u64 %rd2, %rd2;\n"
                            "st.shared.v4.u32 [%r3], {%r5, %r5, %r5, %r5};\nst.shared.u32 [%r4+8], 7;\n"
                            "st.global.u32 [%rd1], 0;\nst.global.u32 [%rd1+4], 7;\n"
                            "red.global.add.u32 [%rd1+8], 1;\nred.global.add.u32 [%rd1+12], 0;\n"
                            "st.global.u32 [own], 3;\nfence.proxy.async;\n"
                            "cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [%r3], 16;\n"
                            "cp.async.bulk.global.shared::cta.bulk_group [%rd1+32], [%r4], 16;\n"
                            "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r4], 16;\n"
                            "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1+48], [%r4], "
                            "16;\n"
                            "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n"),
      .block = 1};
  expect_done(&run);
  assert_int_equal(run.observed.value_store_bytes, 4 + 4 + 16);
}

// One warp. By words side by side, by words of one column of rows of 128 bytes, by the same word for all, by
// 16 bytes of such a column, by 16 bytes side by side, by atomics of the column; at last by st.async.
static void test_bank_conflicts_are_counted(void **state) {
  (void)state;
  static const char whole[] =
      PTX_HEADER ".shared .align 128 .b8 box[8192];\n" PTX_KERNEL("mov.u32 %r3, box;\n@");
  static const struct {
    const char *access;
    unsigned cycles, lost;
  } rows[] = {
      {"mad.lo.u32 %r4, %r0, 4, %r3;\nst.shared.u32 [%r4], %r0;\n", 1, 0},
      {"mad.lo.u32 %r4, %r0, 128, %r3;\nst.shared.u32 [%r4], %r0;\n", 32, 31},
      {"mad.lo.u32 %r4, %r0, 132, %r3;\nst.shared.u32 [%r4], %r0;\n", 1, 0},
      {"st.shared.u32 [%r3], 1;\n", 1, 0},
      {"mad.lo.u32 %r4, %r0, 128, %r3;\nst.shared.v4.u32 [%r4], {%r0, %r0, %r0, %r0};\n", 32, 28},
      {"mad.lo.u32 %r4, %r0, 16, %r3;\nst.shared.v4.u32 [%r4], {%r0, %r0, %r0, %r0};\n", 4, 0},
      {"mad.lo.u32 %r4, %r0, 8, %r3;\nst.shared.v2.u32 [%r4], {%r0, %r0};\n", 2, 0},
      {"mad.lo.u32 %r4, %r0, 16, %r3;\nst.shared.v2.u32 [%r4], {%r0, %r0};\n", 4, 2},
      {"and.b32 %r4, %r0, 7;\nmad.lo.u32 %r4, %r4, 128, %r3;\nst.shared.u8 [%r4], %r0;\n", 8, 7},
      {"mad.lo.u32 %r4, %r0, 128, %r3;\nred.shared.add.u32 [%r4], 1;\n", 32, 31},
      {"setp.eq.u32 %p1, %r0, 5;\n@%p1 st.shared.u32 [%r3], 1;\n", 1, 0},
      {"add.u32 %r5, %r3, 8000;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [%r5], 1;\n"
       "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 128;\nbar.sync 0;\n"
       "mad.lo.u32 %r4, %r0, 128, %r3;\n"
       "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r4], %r0, [%r5];\n"
       "again:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;\n@!%p2 bra again;\n",
       32, 31},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char ptx[2048];
    const char *at = strchr(whole, '@');
    snprintf(ptx, sizeof ptx, "%.*s%s%s", (int)(at - whole), whole, rows[i].access, at + 1);
    struct kernel_run run = {.ptx = ptx};
    expect_done(&run);
    assert_int_equal(run.observed.shared_cycle_bytes, rows[i].cycles * 128);
    assert_int_equal(run.observed.bank_conflict_bytes, rows[i].lost * 128);
  }
}

// Bytes that a program allocated for itself are counted separately, and so are constants. An atomic that does
// not change the value counts only as a load.
static void test_own_bytes_are_counted(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER
      ".global .align 4 .u32 flag[32];\n.const .align 4 .u32 table[4] = {11, 22, 33, 44};\n" PTX_KERNEL(
          "ld.global.u32 %r3, [flag];\nst.global.u32 [flag+4], %r3;\nld.const.u32 %r8, [table];\n"
          "atom.global.cas.b32 %r5, [flag+8], 1, 2;\natom.global.add.u32 %r6, [flag+12], 1;\n"
          "atom.global.add.u32 %r7, [%rd0], 1;\nred.global.add.u32 [flag+16], 1;\n"
          "add.u32 %r7, %r7, %r6;\nadd.u32 %r7, %r7, %r5;\n"
          "atom.global.add.u32 %r4, [%rd0+4], 1;\n"),
      .block = 32};
  expect_done(&run);
  assert_int_equal(run.observed.own_load_bytes, 32 * 4 * (1 + 1 + 1 + 1));
  assert_int_equal(run.observed.own_store_bytes, 32 * 4 * (1 + 1 + 1));
  assert_int_equal(run.observed.handed_load_bytes,
                   // an atomic returns the old value, and counts as a load if the program uses that value
                   32 * 4);
  assert_int_equal(run.observed.handed_store_bytes, 32 * 4 * 2);
}

// An operand without 128 bits is refused where 128 bits are needed. The message names the line and the
// reason.
static void test_no_128_bits(void **state) {
  (void)state;
  static const struct {
    const char *ptx, *reason;
  } cases[] = {
      {PTX_HEADER ".shared .b8 box[32];\n" PTX_KERNEL("st.global.b128 [%rd0], box;"),
       "the address of `box` has 32 or 64 bits, the instruction reads .b128"},
      {PTX(".reg .b128 %q;\nmov.b128 %q, %clock64;"),
       "%clock64 has 32 or 64 bits, the instruction reads .b128"},
      {PTX(".reg .b128 %q;\natom.exch.b128 %q, [%rd0], %tid.x;"), "%tid.x has 32 or 64 bits"},
      {PTX(".reg .b128 %q;\natom.cas.b128 %q, [%rd0], %q, out;"), "the address of `out` has 32 or 64 bits"},
      {PTX("mov.u16 %h1, out;"), "the address of `out` has 32 or 64 bits, the instruction reads .u16"},
      {PTX("match.any.sync.pred %r3, %p1, -1;"), "its type must be .b32 or .b64"},
      {PTX(".param .b64 a;\n.param .b32 b;\ncall k, (a, b);"),
       "`k` is a kernel, and a call takes a function"},
      {PTX_HEADER ".shared .align 16 .b8 box[32];\n" PTX_KERNEL(
           "cp.async.bulk.global.shared::cta.bulk_group.multicast::cluster [%rd0], [box], 16, %h1;"),
       ".multicast::cluster goes with copies from global to shared memory alone"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static struct kernel_run run;
    memset(&run, 0, sizeof run);
    run.ptx = cases[i].ptx;
    kernel_run(&run);
    if (!strstr(run.what, cases[i].reason) || !strstr(run.what, "(line "))
      fail_msg("expected \"%s\", got status %d: %s %s", cases[i].reason, run.status, run.what, run.message);
  }
}

// The sink `_` as the destination of ld.param, and parameters of zero bytes.
static void test_parameters_into_nothing(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER
      ".func (.param .b8 r[0]) f(.param .b8 a[0])\n{\nret;\n}\n.extern .func free(.param .b64 a);\n"
      ".visible .entry k(.param .align 16 .b8 out[16], .param .u32 n)\n{\n.param .b8 e[0];\n"
      "ld.param.b128 _, [out];\nld.param.u64 _, [out];\ncall (e), f, (e);\ncall free, (e);\nret;\n}\n"};
  expect_done(&run);
}

// One thread allocates 4096 bytes at %rd4, does something, frees them and goes on.
#define HEAP(before, after)                                                                               \
  PTX_HEADER ".extern .func (.param .b64 r) malloc(.param .b64 a);\n.extern .func free(.param .b64 a);\n" \
             ".shared .align 128 .b8 s[1024];\n" PTX_KERNEL(                                              \
                 "setp.ne.u32 %p0, %r0, 0;\n@%p0 bra END;\n.param .b64 x;\n.param .b64 y;\n"              \
                 "st.param.b64 [x], 4096;\ncall (y), malloc, (x);\nld.param.b64 %rd4, [y];\n"             \
                 "st.param.b64 [x], %rd4;\nmbarrier.init.shared.b64 [s+512], 1;\n" before                 \
                 "call free, (x);\n" after "END:\n")

// What a warp remembers of an allocation, and what is under way, ends with free().
static void test_memory_freed_by_the_kernel(void **state) {
  (void)state;
#define STORES \
  "st.global.u32 [%rd4], 1;\nst.global.u32 [%rd4], 2;\nst.global.u32 [%rd4], 3;\nst.global.u32 [%rd4], 4;\n"
  static struct {
    struct kernel_run run;
    const char *says;
  } runs[] = {
      {{.ptx = HEAP(STORES, STORES)}, "freed"},
      {{.ptx = HEAP("cp.async.ca.shared.global [s], [%rd4], 16;\n", "cp.async.wait_all;\n")},
       "The copy of 16 bytes was under way when a thread called free()"},
      {{.ptx = HEAP("mbarrier.arrive.expect_tx.shared.b64 _, [s+512], 256;\n"
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd4], 256, "
                    "[s+512];\n",
                    "W: mbarrier.try_wait.parity.shared.b64 %p1, [s+512], 0;\n@!%p1 bra W;\n")},
       "for the global memory that it reads."},
      {{.ptx = HEAP("cp.async.bulk.global.shared::cta.bulk_group [%rd4], [s], 256;\n"
                    "cp.async.bulk.commit_group;\n",
                    "cp.async.bulk.wait_group 0;\n")},
       "for the global memory that it writes."}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    kernel_run(&runs[i].run);
    if (!strstr(runs[i].run.message, runs[i].says))
      fail_msg("%zu: %s %s", i, runs[i].run.message, runs[i].run.what);
    assert_string_equal(runs[i].run.rule, "out-of-bounds");
  }
  static struct kernel_run right = {
      .ptx = HEAP("cp.async.ca.shared.global [s], [%rd4], 16;\ncp.async.wait_all;\n" STORES, "")};
  expect_done(&right);
}

// Who gives a line up must not count on what it held (PTX ISA 9.4, 9.7.9.17).
static void test_discarded_lines(void **state) {
  (void)state;
  static struct kernel_run given_up = {
      .ptx = PTX("st.global.u32 [%rd1], 7;\nst.global.u32 [%rd1+128], 7;\n"
                 "discard.global.L2 [%rd0], 128;\nld.global.u32 %r3, [%rd1];\n"
                 "setp.eq.u32 %p1, %r3, 7;\nselp.u32 %r4, 1, 0, %p1;\nst.global.u32 [%rd1+4096], %r4;\n")};
  expect_done(&given_up);
  for (uint32_t lane = 0; lane < 32; lane++) {
    assert_int_equal(given_up.words[1024 + lane], 0);
    assert_int_equal(given_up.words[32 + lane], 7); // the next line
  }
  static struct kernel_run inside = {.ptx = PTX("discard.global.L2 [%rd0+64], 128;\n")};
  kernel_run(&inside);
  assert_string_equal(inside.rule, "misaligned-address");
  static struct kernel_run behind = {.ptx = PTX("discard.global.L2 [%rd0+16384], 128;\n")};
  kernel_run(&behind);
  assert_string_equal(behind.rule, "out-of-bounds");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_widths_and_signs),
      cmocka_unit_test(test_vectors),
      cmocka_unit_test(test_128_bits),
      cmocka_unit_test(test_generic_addresses),
      cmocka_unit_test(test_parameters_by_address),
      cmocka_unit_test(test_static_and_dynamic_shared),
      cmocka_unit_test(test_bad_addresses),
      cmocka_unit_test(test_hints_are_accepted),
      cmocka_unit_test(test_bytes_are_counted),
      cmocka_unit_test(test_bytes_after_a_phase_are_counted),
      cmocka_unit_test(test_values_are_counted),
      cmocka_unit_test(test_bank_conflicts_are_counted),
      cmocka_unit_test(test_own_bytes_are_counted),
      cmocka_unit_test(test_no_128_bits),
      cmocka_unit_test(test_parameters_into_nothing),
      cmocka_unit_test(test_memory_freed_by_the_kernel),
      cmocka_unit_test(test_discarded_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
