// atom and red: every operation and type on global and shared memory, with 32 lanes on one address.
#include <math.h>
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

// The memory starts at 40 (in 64 bits), and each lane passes its number times 3. The fields are the value
// expected in memory afterwards, and the sum over the lanes of the values that they read.
struct integer_case {
  const char *operation;
  uint32_t bits;
  uint64_t after;
  uint32_t sum_of_results;
};

static void run_integer(const struct integer_case *c, bool shared) {
  char text[3072];
  const char *wide = c->bits == 64 ? "rd" : "r", *value = c->bits == 64 ? "%rd5" : "%r5",
             *space = shared ? "shared" : "global";
  snprintf(text, sizeof text,
           "%s.shared .align 8 .b8 box[8];\n.visible .entry k(.param .u64 out, .param .u32 n)\n"
           "{\n.reg .pred %%p<2>;\n.reg .b32 %%r<12>;\n.reg .b64 %%rd<12>;\n"
           "ld.param.u64 %%rd1, [out];\nmov.u32 %%r1, %%laneid;\n"
           "mul.lo.u32 %%r5, %%r1, 3;\ncvt.u64.u32 %%rd5, %%r5;\nmov.u64 %%rd6, 40;\n"
           "mov.u64 %%rd2, %s;\nst.%s.u64 [%%rd2], %%rd6;\nbar.sync 0;\n"
           "atom.%s.%s %%%s7, [%%rd2], %s;\nred.%s.%s [%%rd2], %s;\n"
           "cvt.u32.u%u %%r8, %%%s7;\nadd.u64 %%rd3, %%rd1, 64;\nred.global.add.u32 [%%rd3], %%r8;\n"
           "bar.sync 0;\nld.%s.u64 %%rd9, [%%rd2];\nst.global.u64 [%%rd1], %%rd9;\nret;\n}\n",
           PTX_HEADER, shared ? "box" : "%rd1", space, space, c->operation, wide, value, space, c->operation,
           value, c->bits, wide, space);
  static struct kernel_run run;
  run = (struct kernel_run){.ptx = text};
  expect_done(&run);
  uint64_t after = run.words[0] | (uint64_t)run.words[1] << 32;
  if (after != c->after || run.words[16] != c->sum_of_results)
    print_error("%s.%s: %llx, %u\n", space, c->operation, (unsigned long long)after, run.words[16]);
  assert_int_equal(after, c->after);
  assert_int_equal(run.words[16], c->sum_of_results);
}

// Models the values that the lanes read and write, lane after lane. The reds come after all the atoms.
static struct integer_case model(const char *operation, uint32_t bits, uint64_t (*step)(uint64_t, uint64_t)) {
  struct integer_case c = {operation, bits, 40, 0};
  uint64_t mask = bits == 64 ? UINT64_MAX : UINT32_MAX;
  for (uint64_t lane = 0; lane < 64; lane++) {
    if (lane < 32) c.sum_of_results += (uint32_t)c.after;
    c.after = step(c.after, lane % 32 * 3) & mask;
  }
  return c;
}

static uint64_t do_add(uint64_t a, uint64_t b) {
  return a + b;
}
static uint64_t do_min(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}
static uint64_t do_max(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}
static uint64_t do_and(uint64_t a, uint64_t b) {
  return a & b;
}
static uint64_t do_or(uint64_t a, uint64_t b) {
  return a | b;
}
static uint64_t do_xor(uint64_t a, uint64_t b) {
  return a ^ b;
}
static uint64_t do_inc(uint64_t a, uint64_t b) {
  return a >= b ? 0 : a + 1;
}
static uint64_t do_dec(uint64_t a, uint64_t b) {
  return a == 0 || a > b ? b : a - 1;
}

static void test_integers(void **state) {
  (void)state;
  static const struct {
    const char *operation;
    uint32_t bits;
    uint64_t (*step)(uint64_t, uint64_t);
  } cases[] = {{"add.u32", 32, do_add}, {"add.s32", 32, do_add}, {"add.u64", 64, do_add},
               {"min.u32", 32, do_min}, {"min.s32", 32, do_min}, {"min.u64", 64, do_min},
               {"min.s64", 64, do_min}, {"max.u32", 32, do_max}, {"max.s64", 64, do_max},
               {"and.b32", 32, do_and}, {"and.b64", 64, do_and}, {"or.b32", 32, do_or},
               {"or.b64", 64, do_or},   {"xor.b32", 32, do_xor}, {"xor.b64", 64, do_xor},
               {"inc.u32", 32, do_inc}, {"dec.u32", 32, do_dec}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct integer_case c = model(cases[i].operation, cases[i].bits, cases[i].step);
    run_integer(&c, false);
    run_integer(&c, true);
  }
}

// cas passes a token from lane to lane.
static void test_exchange_and_compare(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("add.u32 %r3, %r0, 1;\natom.global.cas.b32 %r4, [%rd0], %r0, %r3;\n"
                 "st.global.u32 [%rd1+128], %r4;\natom.global.exch.b32 %r5, [%rd0+4], %r3;\n"
                 "st.global.u32 [%rd1+256], %r5;\ncvt.u16.u32 %h1, %r0;\n"
                 "cvt.u16.u32 %h2, %r3;\natom.global.cas.b16 %h3, [%rd0+10], %h1, %h2;\n"
                 "cvt.u64.u32 %rd4, %r3;\natom.global.exch.b64 %rd5, [%rd0+16], %rd4;\n")};
  expect_done(&run);
  assert_int_equal(run.words[0], 32);
  assert_int_equal(run.words[1], 32);
  assert_int_equal(run.words[2], 32u << 16);
  assert_int_equal(run.words[4], 32);
  for (uint32_t lane = 0; lane < 32; lane++) {
    assert_int_equal(run.words[32 + lane], lane);
    assert_int_equal(run.words[64 + lane], lane);
  }
}

static void test_floats(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("cvt.rn.f32.u32 %f1, %r0;\nmul.f32 %f1, %f1, 0f3F000000;\nred.global.add.f32 [%rd0], %f1;\n"
                 "cvt.f64.f32 %fd1, %f1;\nred.global.add.f64 [%rd0+8], %fd1;\n"
                 "atom.global.add.noftz.f16x2 %r3, [%rd0+16], 0x3c004000;\n"
                 "atom.global.add.noftz.bf16x2 %r4, [%rd0+20], 0x3f804000;\n"
                 "red.global.add.v2.f32 [%rd0+24], {%f1, 0f3F800000};\n"
                 "red.global.add.noftz.v2.f16x2 [%rd0+32], {0x3c003c00, 0x40004000};\n")};
  expect_done(&run);
  float f[2];
  double d;
  memcpy(f, &run.words[0], 4);
  assert_true(f[0] == 248.0f);
  memcpy(&d, &run.words[2], 8);
  assert_true(d == 248.0);
  assert_int_equal(run.words[4], 0x50005400u); // 32 and 64 in f16
  assert_int_equal(run.words[5], 0x42004280u); // and in bf16
  memcpy(f, &run.words[6], 8);
  assert_true(f[0] == 248.0f && f[1] == 32.0f);
  assert_int_equal(run.words[8], 0x50005000u);
  assert_int_equal(run.words[9], 0x54005400u);
}

static void test_unknown_forms_are_named(void **state) {
  (void)state;
  static const char *const forms[] = {
      "atom.global.max.f32 %f1, [%rd0], %f2;\n", "atom.global.cas.f32 %f1, [%rd0], %f2;\n",
      "red.global.mul.u32 [%rd0], %r1;\n", "atom.global.add.u32 %r3, [%rd0];\n"};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s", PTX_HEADER, PTX_KERNEL("@@\n"));
    char *at = strstr(text, "@@"), rest[256];
    snprintf(rest, sizeof rest, "%s", at + 2);
    snprintf(at, sizeof text - (size_t)(at - text), "%s%s", forms[i], rest);
    static struct kernel_run run;
    run = (struct kernel_run){.ptx = text};
    kernel_run(&run);
    if (run.status != 209) print_error("%s: %d\n", forms[i], run.status);
    assert_int_equal(run.status, 209);
    assert_int_equal(run.unsupported, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integers),
      cmocka_unit_test(test_exchange_and_compare),
      cmocka_unit_test(test_floats),
      cmocka_unit_test(test_unknown_forms_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
