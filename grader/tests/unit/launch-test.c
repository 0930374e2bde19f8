// Launches: configuration errors as CUDA reports them, modules and their variables, the host's view of a
// kernel, and printed text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-run.h"
#include "virtual-hopper/device/vhopper.h"

static void expect_done(struct kernel_run *run) {
  kernel_run(run);
  if (run->status) print_error("status %d: %s %s %s\n", run->status, run->rule, run->message, run->what);
  assert_int_equal(run->status, 0);
  assert_int_equal(run->faults, 0);
}

static struct vhopper *device(const char *ptx, struct vhopper_module **module) {
  struct vhopper_options options = {.workers = 1};
  struct vhopper *v = vhopper_create(&options);
  char *error;
  assert_int_equal(vhopper_module_load(v, ptx, strlen(ptx), module, &error), 0);
  return v;
}

static void test_configurations(void **state) {
  (void)state;
  static const char text[] = PTX_HEADER
      ".visible .entry plain()\n{\nret;\n}\n.visible .entry bounded() .maxntid 64, 1, 1\n{\nret;\n}\n"
      ".visible .entry exact() .reqntid 32, 2, 1\n{\nret;\n}\n"
      ".visible .entry pairs() .reqnctapercluster 2, 1, 1\n{\nret;\n}\n"
      ".visible .entry shared()\n{\n.shared .align 16 .b8 s[1024];\n"
      ".reg .b32 %r<2>;\nld.shared.u32 %r1, [s];\nret;\n}\n";
  static const struct {
    const char *kernel;
    struct vhopper_launch_config config;
    int status;
  } cases[] = {
      {"plain", {.grid = {1, 1, 1}, .block = {1024, 1, 1}}, 0},
      {"plain", {.grid = {1, 1, 1}, .block = {1, 1, 64}}, 0},
      {"plain", {.grid = {0, 1, 1}, .block = {32, 1, 1}}, 1},
      {"plain", {.grid = {1, 65536, 1}, .block = {32, 1, 1}}, 1},
      {"plain", {.grid = {1, 1, 1}, .block = {0, 1, 1}}, 1},
      {"plain", {.grid = {1, 1, 1}, .block = {1025, 1, 1}}, 1},
      {"plain", {.grid = {1, 1, 1}, .block = {1, 1, 65}}, 1},
      {"plain", {.grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 49153}, 1},
      {"shared", {.grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 48128}, 0},
      {"shared", {.grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 48129}, 1},
      {"bounded", {.grid = {1, 1, 1}, .block = {65, 1, 1}}, 1},
      {"exact", {.grid = {1, 1, 1}, .block = {32, 2, 1}}, 0},
      {"exact", {.grid = {1, 1, 1}, .block = {64, 1, 1}}, 1},
      {"pairs", {.grid = {4, 1, 1}, .block = {32, 1, 1}}, 0},
      {"pairs", {.grid = {3, 1, 1}, .block = {32, 1, 1}}, 912},
      {"pairs", {.grid = {4, 1, 1}, .block = {32, 1, 1}, .cluster = {4, 1, 1}}, 912},
      {"plain", {.grid = {34, 1, 1}, .block = {32, 1, 1}, .cluster = {17, 1, 1}}, 912},
      {"plain", {.grid = {264, 1, 1}, .block = {1024, 1, 1}, .cooperative = true}, 0},
      {"plain", {.grid = {265, 1, 1}, .block = {1024, 1, 1}, .cooperative = true}, 720},
  };
  struct vhopper_module *module;
  struct vhopper *v = device(text, &module);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct vhopper_function *f = vhopper_module_function(module, cases[i].kernel);
    assert_non_null(f);
    int status = vhopper_launch(v, f, &cases[i].config, NULL);
    if (status != cases[i].status) print_error("case %zu: %d\n", i, status);
    assert_int_equal(status, cases[i].status);
  }
  assert_int_equal(vhopper_sticky_error(v), 0);
  vhopper_destroy(v);
}

static void test_what_the_host_sees(void **state) {
  (void)state;
  static const char text[] = PTX_HEADER
      ".global .align 4 .u32 counter = 5;\n.const .align 8 .f64 pi = 0d400921FB54442D18;\n"
      ".global .align 8 .u64 link = counter;\n"
      ".visible .entry k(.param .u8 a, .param .align 8 .b8 s[12], .param .u64 p) .maxntid 16, 8, 1\n{\n"
      ".local .align 8 .b8 l[24];\n.shared .align 4 .b8 s1[100];\n"
      ".shared .align 16 .b8 s2[16];\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n"
      "ld.shared.u32 %r1, [s1];\nld.shared.u32 %r2, [s2];\nmov.u64 %rd1, l;\nret;\n}\n";
  struct vhopper_module *module;
  struct vhopper *v = device(text, &module);
  const struct vhopper_function_info *info = vhopper_function_info(vhopper_module_function(module, "k"));
  assert_int_equal(info->parameter_count, 3);
  assert_int_equal(info->parameters[1].offset, 8);
  assert_int_equal(info->parameters[1].size, 12);
  assert_int_equal(info->parameters[2].offset, 24);
  assert_int_equal(info->parameter_bytes, 32);
  assert_int_equal(info->static_shared_bytes, 128);
  assert_int_equal(info->max_threads_per_block, 128);
  assert_int_equal(info->max_dynamic_shared_bytes, 49152 - 128);
  assert_int_equal(info->constant_bytes, 8);
  assert_int_equal(info->local_bytes, 32);
  uint64_t counter, link, pointed;
  size_t bytes;
  uint32_t value;
  assert_int_equal(vhopper_module_variable(module, "counter", &counter, &bytes), 0);
  assert_int_equal(bytes, 4);
  assert_int_equal(vhopper_read(v, &value, counter, 4), 0);
  assert_int_equal(value, 5);
  assert_int_equal(vhopper_module_variable(module, "link", &link, &bytes), 0);
  assert_int_equal(vhopper_read(v, &pointed, link, 8), 0);
  assert_int_equal(pointed, counter);
  assert_int_equal(vhopper_module_variable(module, "missing", &link, &bytes), 13);
  assert_null(vhopper_module_function(module, "missing"));
  vhopper_destroy(v);
}

static void test_errors_stick(void **state) {
  (void)state;
  static const char text[] =
      PTX_HEADER ".visible .entry bad()\n{\ntrap;\n}\n.visible .entry good()\n{\nret;\n}\n";
  struct vhopper_module *module;
  struct vhopper *v = device(text, &module);
  struct vhopper_launch_config one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
  assert_int_equal(vhopper_launch(v, vhopper_module_function(module, "good"), &one, NULL), 0);
  assert_int_equal(vhopper_launch(v, vhopper_module_function(module, "bad"), &one, NULL), 719);
  assert_int_equal(vhopper_launch(v, vhopper_module_function(module, "good"), &one, NULL), 719);
  vhopper_reset(v);
  char *error;
  assert_int_equal(vhopper_module_load(v, text, strlen(text), &module, &error), 0);
  assert_int_equal(vhopper_launch(v, vhopper_module_function(module, "good"), &one, NULL), 0);
  vhopper_destroy(v);
}

// An unknown instruction: it does no harm where it isn't reached. Where it is reached, the error names the
// instruction and its line.
static void test_unknown_instructions(void **state) {
  (void)state;
  static struct kernel_run aside = {
      .ptx = PTX_HEADER
      ".visible .entry other()\n{\nwgmma.mma_async.sync.aligned;\nfrobnicate.b32;\nret;\n}\n" PTX_KERNEL(
          "st.global.u32 [%rd1], 3;\n")};
  expect_done(&aside);
  assert_int_equal(aside.words[5], 3);
  static struct kernel_run direct = {
      .ptx = PTX("setp.eq.u32 %p1, %r0, 77;\n@%p1 wgmma.mma_async.sync.aligned;\n")};
  kernel_run(&direct);
  assert_int_equal(direct.status, 209);
  assert_non_null(strstr(direct.what, "wgmma.mma_async.sync.aligned"));
  assert_non_null(strstr(direct.what, "line "));
  static struct kernel_run called = {.ptx = PTX_HEADER
                                     ".func f()\n{\nfrobnicate.b32;\nret;\n}\n" PTX_KERNEL("call f;\n")};
  kernel_run(&called);
  assert_int_equal(called.status, 209);
  assert_non_null(strstr(called.what, "frobnicate"));
  static struct kernel_run missing = {.ptx = PTX_HEADER
                                      ".extern .func nowhere();\n" PTX_KERNEL("call nowhere;\n")};
  kernel_run(&missing);
  assert_int_equal(missing.status, 209);
  assert_non_null(strstr(missing.what, "nowhere"));
  static struct kernel_run not_executed = {
      .ptx = PTX("setp.eq.u32 %p1, %r0, 77;\n@%p1 multimem.st.weak.global.u32 [%rd1], 5;\n"
                 "@%p1 multimem.ld_reduce.relaxed.sys.global.add.u32 %r3, [%rd1];\n"
                 "@!%p1 st.global.u32 [%rd1], 3;\n")};
  expect_done(&not_executed);
  assert_int_equal(not_executed.words[5], 3);
  static struct kernel_run executed = {
      .ptx = PTX("setp.eq.u32 %p1, %r0, 7;\n@%p1 multimem.st.weak.global.u32 [%rd1], 5;\n")};
  kernel_run(&executed);
  assert_int_equal(executed.status, 209);
  assert_int_equal(executed.unsupported, 1);
  assert_int_equal(executed.faults, 0);
  assert_non_null(strstr(executed.what, "multimem.st.weak.global.u32"));
  assert_non_null(strstr(executed.what, "one GPU"));
  static struct kernel_run runtime = {
      .ptx = PTX_HEADER
      ".extern .func __cudaCDP2DeviceGetLimit();\n" PTX_KERNEL("call __cudaCDP2DeviceGetLimit;\n")};
  kernel_run(&runtime);
  assert_int_equal(runtime.status, 209);
  assert_non_null(strstr(runtime.what, "the kernel calls cudaDeviceGetLimit"));
}

static void test_text_that_is_not_ptx(void **state) {
  (void)state;
  static struct kernel_run run = {.ptx = PTX_HEADER "this is not PTX\n"};
  kernel_run(&run);
  assert_int_equal(run.status, 218);
  assert_non_null(strstr(run.message, "line 4"));
}

#define PRINTF ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
#define CALL_PRINTF                                                                \
  "mov.u64 %rd4, text;\n{\n.param .b64 a;\n.param .b64 b;\n.param .b32 c;\n"       \
  "st.param.b64 [a], %rd4;\nst.param.b64 [b], %rd3;\ncall (c), vprintf, (a, b);\n" \
  "ld.param.b32 %r9, [c];\n}\n"

static void test_printf(void **state) {
  (void)state; // "%d|%5.2f|%-4s|%llx|%c|%%|%u\n"
  static struct kernel_run run = {
      .ptx = PTX_HEADER PRINTF
      ".global .align 1 .b8 text[29] = "
      "{37, 100, 124, 37, 53, 46, 50, 102, 124, 37, 45, 52, 115, 124, "
      "37, 108, 108, 120, 124, 37, 99, 124, 37, 37, 124, 37, 117, 10, 0};\n"
      ".global .align 1 .b8 word[3] = {104, 105, 0};\n" PTX_KERNEL(
          ".local .align 8 .b8 own[48];\nmov.u64 %rd2, own;\ncvta.local.u64 %rd3, %rd2;\n"
          "setp.gt.u32 %p1, %r0, 1;\n@%p1 exit;\nneg.s32 %r3, %r0;\nst.local.u32 [%rd2], %r3;\n"
          "mov.f64 %fd1, 0d400921FB54442D18;\nst.local.f64 [%rd2+8], %fd1;\n"
          "mov.u64 %rd5, word;\ncvta.global.u64 %rd5, %rd5;\nst.local.u64 [%rd2+16], %rd5;\n"
          "mov.u64 %rd6, 0x123456789a;\nst.local.u64 [%rd2+24], %rd6;\n"
          "st.local.u32 [%rd2+32], 65;\nst.local.u32 [%rd2+36], 4294967295;\n" CALL_PRINTF
          "st.global.u32 [%rd1], %r9;\n"),
      .grid = 2,
      .workers = 2};
  expect_done(&run);
  assert_string_equal(run.output,
                      "0| 3.14|hi  |123456789a|A|%|4294967295\n-1| 3.14|hi  |123456789a|A|%|4294967295\n"
                      "0| 3.14|hi  |123456789a|A|%|4294967295\n-1| 3.14|hi  |123456789a|A|%|4294967295\n");
  assert_int_equal(run.words[0], 6);
}

static void test_too_much_text_is_cut(void **state) {
  (void)state;
  static struct kernel_run run = {.ptx = PTX_HEADER PRINTF
                                  ".global .align 1 .b8 text[6] = {104, 101, 108, 108, 111, 0};\n" PTX_KERNEL(
                                      "mov.u64 %rd3, 0;\n" CALL_PRINTF),
                                  .block = 1024};
  expect_done(&run);
  assert_non_null(strstr(run.output, "hellohello"));
  assert_non_null(strstr(run.output, "the rest is lost"));
}

static void test_assert(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER ".extern .func __assertfail(.param .b64 m, "
                        ".param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);\n"
                        ".global .align 1 .b8 text[4] = {120, 62, 48, 0};\n"
                        ".global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};\n" PTX_KERNEL(
                            "setp.ne.u32 %p1, %r0, 7;\n@%p1 exit;\nmov.u64 %rd3, text;\nmov.u64 %rd4, file;\n"
                            "{\n.param .b64 a;\n.param .b64 b;\n.param .b32 c;\n.param .b64 e;\n"
                            ".param .b64 g;\nst.param.b64 [a], %rd3;\nst.param.b64 [b], %rd4;\n"
                            "st.param.b32 [c], 12;\nst.param.b64 [e], %rd3;\nst.param.b64 [g], 1;\n"
                            "call __assertfail, (a, b, c, e, g);\n}\n")};
  kernel_run(&run);
  assert_int_equal(run.status, 710);
  assert_string_equal(run.output, "a.cu:12: x>0: block: [0,0,0], thread: [7,0,0] Assertion `x>0` failed.\n");
}

static void test_malloc_in_a_kernel(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX_HEADER
      ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n" PTX_KERNEL(
          "{\n.param .b64 a;\n.param .b64 b;\nst.param.b64 [a], 64;\ncall (b), malloc, (a);\n"
          "ld.param.b64 %rd3, [b];\n}\nst.u32 [%rd3+60], %r0;\nld.u32 %r3, [%rd3+60];\n"
          "st.global.u32 [%rd1], %r3;\n{\n.param .b64 a;\nst.param.b64 [a], %rd3;\ncall free, (a);\n}\n"),
      .grid = 3};
  expect_done(&run);
  for (uint32_t i = 0; i < 96; i++)
    assert_int_equal(run.words[i], i % 32);
}

static void test_special_registers(void **state) {
  (void)state;
  static struct kernel_run run = {
      .ptx = PTX("mov.u32 %r3, %warpid;\nmov.u32 %r4, %laneid;\nmad.lo.u32 %r3, %r3, 32, %r4;\n"
                 "sub.u32 %r3, %r3, %r0;\nmov.u32 %r5, %lanemask_lt;\npopc.b32 %r5, %r5;\n"
                 "sub.u32 %r5, %r5, %r4;\nadd.u32 %r3, %r3, %r5;\nmov.u32 %r6, %nctaid.x;\n"
                 "add.u32 %r3, %r3, %r6;\nmov.u32 %r7, %clusterid.x;\nmov.u32 %r8, %nclusterid.x;\n"
                 "mad.lo.u32 %r3, %r8, 100, %r3;\nmad.lo.u32 %r3, %r7, 1000, %r3;\n"
                 "st.global.u32 [%rd1], %r3;\nmov.u64 %rd3, %clock64;\nmov.u64 %rd4, %clock64;\n"
                 "setp.gt.u64 %p1, %rd4, %rd3;\nselp.u32 %r9, 1, 0, %p1;\nst.global.u32 [%rd1+8192], %r9;\n"
                 "mov.u32 %r10, WARP_SZ;\nst.global.u32 [%rd0+16380], %r10;\n"),
      .grid = 4,
      .block = 64,
      .cluster = 2};
  expect_done(&run);
  for (uint32_t i = 0; i < 256; i++) {
    assert_int_equal(run.words[i], 4 + 200 + i / 128 * 1000);
    assert_int_equal(run.words[2048 + i], 1);
  }
  assert_int_equal(run.words[4095], 32);
}

static void test_modules_have_a_limit(void **state) {
  (void)state;
  static const char ptx[] = PTX_HEADER PTX_KERNEL("mov.u32 %r3, 1;\n");
  struct vhopper *v = vhopper_create(&(struct vhopper_options){.workers = 1, .memory_limit = 1 << 20});
  struct vhopper_module *first = NULL, *module;
  char *error = NULL;
  int loaded = 0, status;
  while ((status = vhopper_module_load(v, ptx, strlen(ptx), &module, &error)) == 0 && loaded++ < 10000)
    first = first ? first : module;
  assert_int_equal(status, 2);
  assert_true(loaded > 1);
  assert_non_null(strstr(error, "1 MiB in all"));
  free(error);
  vhopper_module_unload(v, first);
  assert_int_equal(vhopper_module_load(v, ptx, strlen(ptx), &module, &error), 0);
  vhopper_destroy(v);
}

// Two warps write one word of shared memory, and nothing orders them.
static void test_judge_no_more(void **state) {
  (void)state;
  static const char text[] = PTX_HEADER
      ".visible .entry k()\n{\n.shared .align 4 .b8 s[4];\n.reg .b32 %r<2>;\nmov.u32 %r1, %tid.x;\n"
      "st.shared.u32 [s], %r1;\nret;\n}\n";
  const struct vhopper_options options = {.workers = 1, .check = true};
  const struct vhopper_launch_config config = {.grid = {1, 1, 1}, .block = {64, 1, 1}};
  struct vhopper *v = vhopper_create(&options);
  struct vhopper_module *module;
  char *error;
  assert_int_equal(vhopper_module_load(v, text, strlen(text), &module, &error), 0);
  for (size_t faults = 1; faults < 2; faults--) {
    vhopper_clear_report(v);
    assert_int_equal(vhopper_launch(v, vhopper_module_function(module, "k"), &config, NULL), 0);
    assert_int_equal(fault_count(vhopper_report(v)), faults);
    vhopper_judge_no_more(v);
  }
  vhopper_destroy(v);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_configurations),
      cmocka_unit_test(test_judge_no_more),
      cmocka_unit_test(test_what_the_host_sees),
      cmocka_unit_test(test_errors_stick),
      cmocka_unit_test(test_unknown_instructions),
      cmocka_unit_test(test_text_that_is_not_ptx),
      cmocka_unit_test(test_printf),
      cmocka_unit_test(test_too_much_text_is_cut),
      cmocka_unit_test(test_assert),
      cmocka_unit_test(test_malloc_in_a_kernel),
      cmocka_unit_test(test_special_registers),
      cmocka_unit_test(test_modules_have_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
