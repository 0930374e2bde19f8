// Random kernels on a device that takes its short cuts (a stride for a warp, a record for a line, a number
// for a word's reader), and on one that looks at each lane and word by itself. In: PTX text. Out: the same
// results, faults and counters. `quick-paths-test FIRST COUNT` runs other kernels than the usual ones.
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random-kernel.h"
#include "virtual-hopper/device/vhopper.h"
#include "virtual-hopper/rules/fault.h"

enum { USUAL_COUNT = 400, BUDGET = 2000000 };
static uint64_t first_number = 1, kernel_count = USUAL_COUNT;

struct outcome {
  int status;
  size_t faults;
  char *report, *details; // JSON; details: whole, report: without what leave_out_details leaves out
  uint8_t *memory;
};

// Of several readers that a write comes too early for, a fault may name any: those with one record may come
// before others. What is blamed on a wait, and not counted again, follows from the one that is named.
static void leave_out_details(json_t *value) {
  const char *key;
  size_t at;
  json_t *part;
  json_object_del(value, "thread");
  json_object_del(value, "count");
  json_object_foreach(value, key, part) {
    leave_out_details(part);
  }
  json_array_foreach(value, at, part) {
    leave_out_details(part);
  }
  if (!json_is_string(value)) return;
  char *text = strdup(json_string_value(value));
  for (char *from = text; (from = strstr(from, "thread "));)
    for (from += strlen("thread "); *from >= '0' && *from <= '9'; from++)
      *from = '#';
  json_string_set(value, text);
  free(text);
}

static struct outcome run(const struct random_kernel *k, struct vhopper_options options) {
  options.launch_budget = BUDGET;
  struct vhopper *v = vhopper_create(&options);
  struct vhopper_module *module;
  struct outcome o = {.memory = malloc(RANDOM_OUT_BYTES + RANDOM_DATA_BYTES)};
  char *error = NULL;
  if (vhopper_module_load(v, k->text, strlen(k->text), &module, &error)) fail_msg("%s\n%s", error, k->text);
  struct {
    uint64_t out, data;
  } parameters;
  assert_int_equal(vhopper_hand(v, RANDOM_OUT_BYTES, "out", &parameters.out), 0);
  assert_int_equal(vhopper_hand(v, RANDOM_DATA_BYTES, "data", &parameters.data), 0);
  vhopper_fill(v, parameters.out, 0, 4, RANDOM_OUT_BYTES);
  vhopper_fill(v, parameters.data, 0x01020304, 4, RANDOM_DATA_BYTES);
  const struct vhopper_launch_config config = {
      .grid = {k->grid, 1, 1}, .block = {k->block, 1, 1}, .cluster = {k->cluster, 1, 1}};
  o.status = vhopper_launch(v, vhopper_module_function(module, "k"), &config, &parameters);
  vhopper_read(v, o.memory, parameters.out, RANDOM_OUT_BYTES);
  vhopper_read(v, o.memory + RANDOM_OUT_BYTES, parameters.data, RANDOM_DATA_BYTES);
  json_t *report = fault_report_json(vhopper_report(v));
  o.faults = fault_count(vhopper_report(v));
  o.details = json_dumps(report, JSON_INDENT(1) | JSON_SORT_KEYS);
  leave_out_details(report);
  o.report = json_dumps(report, JSON_INDENT(1) | JSON_SORT_KEYS);
  json_decref(report);
  vhopper_destroy(v);
  return o;
}

static void forget(struct outcome *o) {
  free(o->report);
  free(o->details);
  free(o->memory);
}

// Writes what differs to files in the working folder's build/, if there is one, and fails.
static void keep(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "build/tests/quick-paths-%s", name);
  FILE *f = fopen(path, "w");
  if (!f) return;
  fputs(text, f);
  fclose(f);
}

static void expect_same(const struct outcome *a, const struct outcome *b, const struct random_kernel *k,
                        uint64_t number, const char *what, bool in_detail) {
  const char *one = in_detail ? a->details : a->report, *other = in_detail ? b->details : b->report;
  size_t at = 0;
  while (at < RANDOM_OUT_BYTES + RANDOM_DATA_BYTES && a->memory[at] == b->memory[at])
    at++;
  const bool memory = at == RANDOM_OUT_BYTES + RANDOM_DATA_BYTES, report = strcmp(one, other) == 0;
  if (memory && report && a->status == b->status) return;
  keep("kernel.ptx", k->text);
  keep("one.json", one);
  keep("other.json", other);
  fail_msg("kernel %llu, %s: status %d and %d; %s; reports %s (see build/tests/quick-paths-*)",
           (unsigned long long)number, what, a->status, b->status,
           memory ? "the same memory" : "memory differs", report ? "the same" : "differ");
}

static void short_cuts_change_nothing(void **state) {
  (void)state;
  uint64_t clean = 0, ended = 0;
  for (uint64_t n = first_number; n < first_number + kernel_count; n++) {
    const struct random_kernel k = random_kernel_make(n);
    struct vhopper_options options = {.workers = 1, .seed = n % 5, .check = true};
    struct outcome quick = run(&k, options);
    options.plain = true;
    struct outcome plain = run(&k, options);
    expect_same(&quick, &plain, &k, n, "quick and plain", false);
    options.plain = false;
    options.workers = 3;
    if (k.apart && k.grid > k.cluster && !quick.status) { // an error ends the other blocks wherever they are
      struct outcome many = run(&k, options);
      expect_same(&quick, &many, &k, n, "one worker and three", true);
      forget(&many);
    }
    options.workers = 1;
    options.check = false;
    struct outcome unjudged = run(&k, options);
    options.plain = true;
    struct outcome unjudged_plain = run(&k, options);
    expect_same(&unjudged, &unjudged_plain, &k, n, "without checks, quick and plain", false);
    forget(&unjudged);
    forget(&unjudged_plain);
    clean += quick.faults == 0;
    ended += quick.status != 0;
    forget(&quick);
    forget(&plain);
    free(k.text);
  }
  print_message("%llu of %llu without a fault, %llu ended by an error\n", (unsigned long long)clean,
                (unsigned long long)kernel_count, (unsigned long long)ended);
  assert_true(clean > kernel_count / 20);
  assert_true(clean < kernel_count - kernel_count / 20);
  assert_true(ended < kernel_count / 2);
}

// ---- blocks that take over another one's records ----------------------------------------------------------

// Each block writes a row, reads it the other way round, and writes it again. Every second block has the
// place of the one before it, whose records of shared memory it takes over, and it has passed more barriers,
// so by their epochs it would have seen those records. wrong: in these blocks the barrier behind the first
// write (1) or before the second (2) is missing; 0: none.
static char *kernel_of_rows(uint32_t bytes, uint32_t shift, uint32_t wrong) {
  static const char *const vectors[] = {[4] = "u32", [8] = "v2.u32", [16] = "v4.u32"};
  static const char *const values[] = {[4] = "%r4", [8] = "{%r4, %r4}", [16] = "{%r4, %r4, %r4, %r4}"};
  char *text = malloc(4096);
  snprintf(text, 4096,
           ".version 8.5\n.target sm_90\n.address_size 64\n"
           ".visible .entry k(.param .u64 out, .param .u64 data)\n{\n.shared .align 128 .b8 box[4096];\n"
           ".reg .pred %%p<2>;\n.reg .b32 %%r<16>;\n.reg .b64 %%rd<4>;\nld.param.u64 %%rd0, [out];\n"
           "mov.u32 %%r0, %%tid.x;\nmov.u32 %%r1, %%ctaid.x;\nand.b32 %%r9, %%r1, 1;\n"
           "setp.eq.u32 %%p0, %%r9, 0;\nmad.lo.u32 %%r4, %%r1, 977, %%r0;\nmov.u32 %%r2, 1;\n"
           "mul.lo.u32 %%r2, %%r2, %u;\nadd.u32 %%r2, %%r2, box;\nxor.b32 %%r5, %%r0, 63;\n"
           "mad.lo.u32 %%r6, %%r5, %u, %%r2;\nmad.lo.u32 %%r2, %%r0, %u, %%r2;\n"
           "mad.lo.u32 %%r9, %%r1, 4, 4;\nshl.b32 %%r10, %%r0, 2;\nadd.u32 %%r10, %%r10, box;\nAGAIN:\n"
           "st.shared.u32 [%%r10+3584], %%r4;\nbar.sync 0;\nsub.u32 %%r9, %%r9, 1;\n"
           "setp.ne.u32 %%p1, %%r9, 0;\n@%%p1 bra AGAIN;\nst.shared.%s [%%r2+256], %s;\n%sbar.sync 0;\n"
           "ld.shared.u32 %%r7, [%%r6+256];\nadd.u32 %%r4, %%r4, %%r7;\n%sbar.sync 0;\n"
           "st.shared.%s [%%r2+256], %s;\nbar.sync 0;\n@!%%p0 ld.shared.u32 %%r7, [%%r6+256];\n"
           "mad.lo.u32 %%r8, %%r1, 64, %%r0;\nmul.wide.u32 %%rd1, %%r8, 4;\nadd.u64 %%rd1, %%rd0, %%rd1;\n"
           "st.global.u32 [%%rd1], %%r7;\nret;\n}\n",
           shift, bytes, bytes, vectors[bytes], values[bytes], wrong == 1 ? "@%p0 " : "",
           wrong == 2 ? "@%p0 " : "", vectors[bytes], values[bytes]);
  return text;
}

static void rows_over_an_earlier_block(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 3 * 4 * 3; i++) {
    const uint32_t bytes = 4u << i % 3, shift = (1u + 5 * (i / 3 % 4)) * bytes, wrong = i / 12;
    struct random_kernel k = {
        .text = kernel_of_rows(bytes, shift, wrong), .grid = 64, .block = 64, .cluster = 1};
    struct vhopper_options options = {.workers = 1, .seed = i, .check = true};
    struct outcome quick = run(&k, options);
    options.plain = true;
    struct outcome plain = run(&k, options);
    expect_same(&quick, &plain, &k, i, "rows over an earlier block", true);
    assert_int_equal(quick.faults > 0, wrong > 0);
    forget(&quick);
    forget(&plain);
    free(k.text);
  }
}

// ---- parts of warps ---------------------------------------------------------------------------------------

// d: 32 bits, l: 64, h: 16, p: a predicate. The result's letter comes first, then the operands'.
static const struct form {
  const char *operation, *operands;
} forms[] = {{"add.u32", "ddd"},         {"add.s64", "lll"},        {"add.u16", "hhh"},
             {"sub.s32", "ddd"},         {"sub.u64", "lll"},        {"mul.lo.s32", "ddd"},
             {"mul.hi.u32", "ddd"},      {"mul.hi.s64", "lll"},     {"mul.wide.s32", "ldd"},
             {"mul.wide.u16", "dhh"},    {"mad.lo.u32", "dddd"},    {"mad.wide.u32", "lddl"},
             {"mul24.lo.s32", "ddd"},    {"sad.u32", "dddd"},       {"div.u32", "ddd"},
             {"div.s64", "lll"},         {"rem.s32", "ddd"},        {"rem.u64", "lll"},
             {"abs.s32", "dd"},          {"neg.s64", "ll"},         {"min.s32", "ddd"},
             {"max.u64", "lll"},         {"min.u16", "hhh"},        {"popc.b32", "dd"},
             {"clz.b64", "dl"},          {"brev.b32", "dd"},        {"bfind.u32", "dd"},
             {"bfe.s32", "dddd"},        {"bfi.b32", "ddddd"},      {"prmt.b32", "dddd"},
             {"shf.l.wrap.b32", "dddd"}, {"and.b32", "ddd"},        {"or.b64", "lll"},
             {"xor.b16", "hhh"},         {"not.b32", "dd"},         {"cnot.b32", "dd"},
             {"shl.b32", "ddd"},         {"shr.s32", "ddd"},        {"shr.u64", "lld"},
             {"lop3.b32", "dddd7"},      {"dp4a.u32.s32", "dddd"},  {"add.f32", "ddd"},
             {"mul.rz.f32", "ddd"},      {"fma.rn.f32", "dddd"},    {"add.ftz.f32", "ddd"},
             {"min.f32", "ddd"},         {"max.NaN.f32", "ddd"},    {"abs.f32", "dd"},
             {"neg.ftz.f32", "dd"},      {"div.rn.f32", "ddd"},     {"rcp.rn.f32", "dd"},
             {"sqrt.rn.f32", "dd"},      {"copysign.f32", "ddd"},   {"add.f64", "lll"},
             {"fma.rn.f64", "llll"},     {"mul.f64", "lll"},        {"div.rn.f64", "lll"},
             {"min.f64", "lll"},         {"add.rn.f16", "hhh"},     {"fma.rn.f16", "hhhh"},
             {"add.rn.f16x2", "ddd"},    {"mul.rn.bf16x2", "ddd"},  {"cvt.u32.u16", "dh"},
             {"cvt.s64.s32", "ld"},      {"cvt.rn.f32.s32", "dd"},  {"cvt.rzi.s32.f32", "dd"},
             {"cvt.f64.f32", "ld"},      {"cvt.rn.f32.f64", "dl"},  {"cvt.rn.f16.f32", "hd"},
             {"cvt.sat.u8.s32", "dd"},   {"mov.b32", "dd"},         {"mov.b64", "ll"},
             {"set.lt.u32.s32", "ddd"},  {"set.gt.u32.f32", "ddd"}, {"selp.b32", "dddp"},
             {"slct.s32.s32", "dddd"},   {"setp.lt.s32", "pdd"},    {"setp.eq.u64", "pll"},
             {"setp.gtu.f32", "pdd"}};
enum { FORMS = sizeof forms / sizeof *forms };

static char *say_operands(char *to, const char *operands, int result) {
  for (int i = 0; operands[i]; i++)
    to += operands[i] == '7' ? sprintf(to, ", 0x7a")
                             : sprintf(to, "%s%%%c%d", i ? ", " : "", operands[i], i ? i : result);
  return to + sprintf(to, ";\n");
}

// Register 5 gets the result in some lanes only, register 6 in all of them; whoever differs from what 6 and
// the guard make of the old value counts in %r9.
static char *say_form(char *to, const struct form *f) {
  const char d = f->operands[0];
  to += sprintf(to, "mov.%s %%%c5, %%%c0;\nmov.%s %%%c6, %%%c0;\n@%%p7 %s ",
                d == 'p'   ? "pred"
                : d == 'l' ? "b64"
                : d == 'h' ? "b16"
                           : "b32",
                d, d,
                d == 'p'   ? "pred"
                : d == 'l' ? "b64"
                : d == 'h' ? "b16"
                           : "b32",
                d, d, f->operation);
  to = say_operands(to, f->operands, 5);
  to += sprintf(to, "%s ", f->operation);
  to = say_operands(to, f->operands, 6);
  if (d == 'p') {
    to += sprintf(to, "selp.u32 %%d7, 1, 0, %%p6;\nselp.u32 %%d6, 1, 0, %%p0;\nselp.b32 %%d7, %%d7, %%d6, "
                      "%%p7;\nselp.u32 %%d5, 1, 0, %%p5;\nsetp.ne.u32 %%p6, %%d7, %%d5;\n");
  } else {
    const char *bits = d == 'l' ? "64" : d == 'h' ? "16" : "32";
    to += sprintf(to, "selp.b%s %%%c6, %%%c6, %%%c0, %%p7;\nsetp.ne.u%s %%p6, %%%c6, %%%c5;\n", bits, d, d, d,
                  bits, d, d);
  }
  return to + sprintf(to, "@%%p6 add.u32 %%r9, %%r9, 1;\n");
}

static char *kernel_of_forms(void) {
  char *text = malloc(FORMS * 1024 + 4096), *to = text;
  to +=
      sprintf(to,
              ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 "
              "data)\n{\n.reg .pred %%p<8>;\n.reg .b32 %%d<8>;\n.reg .b32 %%r<16>;\n.reg .b64 %%l<12>;\n"
              ".reg .b16 %%h<8>;\nld.param.u64 %%l8, [out];\nmov.u32 %%r11, 0;\nmov.u32 %%r0, %%tid.x;\n"
              "and.b32 %%r1, %%r0, 31;\nshr.u32 %%r2, %%r0, 5;\nmad.lo.u32 %%r3, %%r0, 1664525, 1013904223;\n"
              "mul.lo.u32 %%r4, %%r2, 9;\nadd.u32 %%r4, %%r4, 3;\nsetp.lt.u32 %%p7, %%r1, %%r4;\n"
              "mul.wide.u32 %%l9, %%r0, %d;\nadd.u64 %%l8, %%l8, %%l9;\n",
              4 * RANDOM_OUT_WORDS);
  for (int i = 0; i < 5; i++)
    to += sprintf(to,
                  "mad.lo.u32 %%r3, %%r3, 69069, %d;\nmov.b32 %%d%d, %%r3;\nmul.wide.s32 %%l%d, %%r3, %%r3;\n"
                  "cvt.u16.u32 %%h%d, %%r3;\nsetp.lt.s32 %%p%d, %%r3, %d;\n",
                  i, i, i, i, i, i);
  for (int i = 0; i < FORMS; i++) {
    to += sprintf(to, "mov.u32 %%r9, 0;\n");
    to = say_form(to, &forms[i]);
    to += sprintf(to, "shl.b32 %%r10, %%r9, %d;\nor.b32 %%r11, %%r11, %%r10;\n", i % 32);
    if (i % 32 == 31 || i == FORMS - 1)
      to += sprintf(to, "st.global.u32 [%%l8+%d], %%r11;\nmov.u32 %%r11, 0;\n", i / 32 * 4);
  }
  sprintf(to, "ret;\n}\n");
  return text;
}

// 3, 12, 21 and 30 lanes of four warps: few are computed one by one, many together.
static void parts_of_warps_compute_the_same(void **state) {
  (void)state;
  struct random_kernel k = {.text = kernel_of_forms(), .grid = 1, .block = 128, .cluster = 1};
  struct outcome o = run(&k, (struct vhopper_options){.workers = 1});
  assert_int_equal(o.status, 0);
  for (uint32_t thread = 0; thread < 128; thread++) {
    for (uint32_t i = 0; i < FORMS; i++) {
      uint32_t word;
      memcpy(&word, o.memory + 4 * ((size_t)thread * RANDOM_OUT_WORDS + i / 32), sizeof word);
      if (word >> i % 32 & 1) fail_msg("%s differs in thread %u", forms[i].operation, thread);
    }
  }
  forget(&o);
  free(k.text);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(short_cuts_change_nothing),
                                     cmocka_unit_test(rows_over_an_earlier_block),
                                     cmocka_unit_test(parts_of_warps_compute_the_same)};
  if (argc == 3) {
    first_number = strtoull(argv[1], NULL, 10);
    kernel_count = strtoull(argv[2], NULL, 10);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
