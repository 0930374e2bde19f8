// Kernels that never end: the right rule reports each, without counting seconds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel-run.h"

#define BARRIER PTX_HEADER ".shared .align 8 .b64 bar;\n.shared .align 4 .b32 word;\n"
#define INIT \
  "mov.u32 %r6, bar;\nsetp.eq.u32 %p3, %r0, 0;\n@%p3 mbarrier.init.shared.b64 [%r6], 64;\nbar.sync 0;\n"

static const struct hang {
  const char *name, *ptx, *rule, *says;
  uint32_t grid, block, cluster;
} hangs[] = {
    {"a flag that nobody sets",
     PTX("L: ld.volatile.global.u32 %r4, [%rd0];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\n"), "deadlock",
     "going round a loop", 3, 64, 0},
    {"a counter that nobody moves",
     PTX("L: atom.global.add.u32 %r4, [%rd0], 0;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\n"), "deadlock", "",
     2, 64, 0},
    {"a lock that nobody frees",
     PTX("L: atom.global.acquire.cas.b32 %r3, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra L;\n"),
     "deadlock", "", 2, 32, 0},
    {"a lock that is taken again and again",
     PTX("L: atom.global.exch.b32 %r3, [%rd0], 1;\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra L;\n"), "deadlock", "",
     1, 32, 0},
    {"a barrier that is tested",
     BARRIER PTX_KERNEL(INIT "L: mbarrier.test_wait.parity.shared.b64 %p2, [%r6], 0;\n@!%p2 bra L;\n"),
     "deadlock", "barrier `bar`", 2, 64, 0},
    {"a barrier that is tried",
     BARRIER PTX_KERNEL(INIT "L: mbarrier.try_wait.parity.shared.b64 %p2, [%r6], 0;\n@!%p2 bra L;\n"),
     "deadlock", "barrier `bar`", 2, 64, 0},
    {"a barrier that is tested after sleeping",
     BARRIER PTX_KERNEL(INIT "L: nanosleep.u32 200;\nmbarrier.test_wait.parity.shared.b64 %p2, [%r6], 0;\n"
                             "@!%p2 bra L;\n"),
     "deadlock", "barrier `bar`", 2, 64, 0},
    {"longer and longer sleeps",
     PTX("mov.u32 %r5, 8;\nL: nanosleep.u32 %r5;\nshl.b32 %r5, %r5, 1;\nmin.u32 %r5, %r5, 4096;\n"
         "ld.acquire.gpu.global.u32 %r4, [%rd0];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\n"),
     "deadlock", "", 2, 64, 0},
    {"looks at the clock in each turn",
     PTX("mov.u64 %rd3, %clock64;\nL: mov.u64 %rd4, %clock64;\nsub.u64 %rd5, %rd4, %rd3;\n"
         "setp.lt.u64 %p3, %rd5, 1000;\n@%p3 bra L;\nld.acquire.gpu.global.u32 %r4, [%rd0];\n"
         "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\n"),
     "deadlock", "", 2, 32, 0},
    {"a vote in each turn",
     PTX("L: ld.volatile.global.u32 %r4, [%rd0];\nsetp.eq.u32 %p2, %r4, 0;\n"
         "vote.sync.any.pred %p3, %p2, 0xffffffff;\n@%p3 bra L;\n"),
     "deadlock", "", 2, 64, 0},
    {"a meeting in each turn",
     PTX("L: ld.volatile.global.u32 %r4, [%rd0];\nsetp.eq.u32 %p2, %r4, 0;\nbar.red.or.pred %p3, 0, %p2;\n"
         "@%p3 bra L;\n"),
     NULL, "", 2, 64, 0},
    {"many flags",
     PTX("L: mov.u32 %r5, 0;\nmov.u64 %rd3, %rd0;\n"
         "M: ld.volatile.global.u32 %r4, [%rd3];\nadd.u64 %rd3, %rd3, 4;\n"
         "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 12;\n"
         "@%p1 bra M;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\n"),
     "deadlock", "", 2, 32, 0},
    {"each waits for the other",
     PTX("xor.b32 %r5, %r60, 1;\nmul.wide.u32 %rd3, %r5, 4;\nadd.u64 %rd3, %rd0, %rd3;\n"
         "L: ld.acquire.gpu.global.u32 %r4, [%rd3];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\n"
         "st.global.u32 [%rd0], 1;\n"),
     "deadlock", "", 2, 1, 0},
    {"a flag in shared memory",
     BARRIER PTX_KERNEL("st.shared.u32 [word], 0;\nbar.sync 0;\nL: ld.volatile.shared.u32 %r4, [word];\n"
                        "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\n"),
     "deadlock", "", 40, 64, 0},
    {"a flag in a neighbour's memory",
     BARRIER PTX_KERNEL(
         "mov.u32 %r5, word;\nst.shared.u32 [%r5], 0;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
         "mov.u32 %r7, %cluster_ctarank;\nxor.b32 %r7, %r7, 1;\n"
         "mapa.shared::cluster.u32 %r9, %r5, %r7;\n"
         "L: ld.volatile.shared::cluster.u32 %r4, [%r9];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\n"),
     "deadlock", "", 4, 32, 2},
    {"a flag that nobody sets, and a count of the turns",
     PTX("mov.u32 %r5, 0;\nL: ld.volatile.global.u32 %r4, [%rd0];\nadd.u32 %r5, %r5, 1;\n"
         "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\nst.global.u32 [%rd0+4], %r5;\n"),
     "deadlock", "going round a loop", 2, 64, 0},
    {"a count of some turns, and sums of counts",
     PTX("mov.u32 %r5, 0;\nmov.u32 %r3, 0;\nL: ld.volatile.global.u32 %r4, [%rd0];\n"
         "and.b32 %r4, %r4, 1;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 add.u32 %r5, %r5, 3;\n"
         "mad.lo.u32 %r3, %r3, 5, %r5;\n@%p2 bra L;\nst.global.u32 [%rd0+4], %r3;\n"),
     "deadlock", "going round a loop", 2, 64, 0},
    {"a count of meetings",
     PTX("mov.u32 %r5, 0;\nL: ld.volatile.global.u32 %r4, [%rd0];\nadd.u32 %r5, %r5, 1;\n"
         "setp.eq.u32 %p2, %r4, 0;\nbar.red.or.pred %p3, 0, %p2;\n@%p3 bra L;\n"
         "st.global.u32 [%rd0+4], %r5;\n"),
     NULL, "", 2, 64, 0},
    {"a loop of nothing", PTX("L: bra L;\n"), "endless-loop", "nothing leads out of this loop", 2, 64, 0},
    {"a flag that was read once",
     PTX("setp.ne.u32 %p1, %r0, 0;\n@%p1 bra M;\nld.global.u32 %r4, [%rd0];\n"
         "L: setp.eq.u32 %p2, %r4, 0;\n@%p2 bra L;\n"
         "M: bar.sync 0;\n"),
     "endless-loop", "comes back to where it was", 1, 64, 0},
    {"a loop that counts on and on", PTX("L: add.u32 %r4, %r4, 1;\nbra L;\n"), "endless-loop",
     "nothing leads out of this loop", 2, 64, 0},
    {"a loop that counts to the end", PTX("L: add.u32 %r4, %r4, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra L;\n"),
     "endless-loop", "4 M instructions", 2, 64, 0},
    {"a heart that beats while it waits",
     PTX("L: atom.global.add.u32 %r5, [%rd0+4], 1;\n"
         "ld.volatile.global.u32 %r4, [%rd0];\nsetp.eq.u32 %p2, %r4, 0;\n"
         "@%p2 bra L;\n"),
     "endless-loop", "4 M instructions", 2, 32, 0},
};

static void test_hangs_are_told(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof hangs / sizeof *hangs; i++) {
    const struct hang *h = &hangs[i];
    for (uint64_t seed = 0; seed < 4; seed++) {
      static struct kernel_run run;
      run = (struct kernel_run){.ptx = h->ptx,
                                .grid = h->grid,
                                .block = h->block,
                                .cluster = h->cluster,
                                .seed = seed,
                                .workers = 1 + (unsigned)seed % 2,
                                .budget = 4000000};
      kernel_run(&run);
      const bool told = run.status == 702 && run.faults >= 1 && strstr(run.message, h->says) &&
                        (h->rule ? strcmp(run.rule, h->rule) == 0 : !strstr(run.message, " M instructions"));
      if (!told)
        fail_msg("%s, seed %u: status %d, %s: %s", h->name, (unsigned)seed, run.status, run.rule,
                 run.message);
    }
  }
}

// Each ends by a count, a long way or by a detour.
static void test_counts_that_end(void **state) {
  (void)state;
  static const char *const ends[] = {
      PTX("mov.u32 %r5, 0;\nL: ld.volatile.global.u32 %r4, [%rd0];\nadd.u32 %r5, %r5, 1;\n"
          "shr.u32 %r3, %r5, 14;\nadd.u32 %r3, %r3, %r4;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra L;\n"),
      PTX("mov.u32 %r5, 0;\nmov.u32 %r3, 0;\nL: ld.volatile.global.u32 %r4, [%rd0];\n"
          "setp.gt.u32 %p1, %r5, 9000;\n@%p1 mov.u32 %r3, 1;\nadd.u32 %r5, %r5, 1;\n"
          "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra L;\n"),
      PTX("mov.u32 %r5, 0;\nL: ld.volatile.global.u32 %r4, [%rd0];\nadd.u32 %r5, %r5, 1;\n"
          "setp.gt.u32 %p1, %r5, 9000;\n@%p1 bra M;\nbra L;\nM:\n"),
      PTX("mov.u32 %r5, 0;\nL: ld.volatile.global.u32 %r4, [%rd0];\nadd.u32 %r5, %r5, %r0;\n"
          "add.u32 %r5, %r5, 1;\nshfl.sync.idx.b32 %r3, %r5, 31, 31, 0xffffffff;\n"
          "setp.lt.u32 %p2, %r3, 300000;\n@%p2 bra L;\n"),
  };
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    static struct kernel_run run;
    run = (struct kernel_run){.ptx = ends[i], .grid = 2, .block = 32, .workers = 1, .budget = 20000000};
    kernel_run(&run);
    if (run.status || run.faults) fail_msg("%zu: status %d, %s: %s", i, run.status, run.rule, run.message);
  }
}

// Past a first budget nothing is said of a kernel that goes on. What is proved before is told.
static void test_first_budgets(void **state) {
  (void)state;
  static const char counts[] = PTX("L: add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3; bra L;"),
                    hangs[] = PTX("L: bra L;");
  static struct kernel_run run;
  run = (struct kernel_run){.ptx = counts, .budget = 1000000, .puts_off = true};
  kernel_run(&run);
  assert_int_equal(run.status, 702);
  assert_int_equal(run.faults, 0);
  assert_string_equal(run.time_limit, "a launch has spent its first budget of instructions");
  run = (struct kernel_run){.ptx = hangs, .budget = 1000000, .puts_off = true};
  kernel_run(&run);
  assert_string_equal(run.rule, "endless-loop");
  assert_string_equal(run.time_limit, "");
}

// Proofs take a time that grows with a program's length, not with its square: here 60 000 branches share a
// table of 60 000 targets.
static void test_long_programs(void **state) {
  (void)state;
  enum { MANY = 60000 };
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  fputs(PTX_HEADER
        ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n"
        "mov.u32 %r0, %tid.x;\nT: .branchtargets E0",
        out);
  for (int i = 1; i < MANY; i++)
    fprintf(out, ", E%d", i);
  fputs(";\nsetp.ne.u32 %p1, %r0, %r0;\n", out);
  for (int i = 0; i < MANY; i++)
    fprintf(out, "@%%p1 brx.idx %%r0, T;\nE%d:\n", i);
  fputs("L: bra L;\n}\n", out);
  fclose(out);
  static struct kernel_run run;
  run = (struct kernel_run){.ptx = text, .grid = 2, .block = 64, .workers = 1, .budget = 20000000};
  kernel_run(&run);
  assert_string_equal(run.rule, "endless-loop");
  assert_non_null(strstr(run.message, "nothing leads out of this loop"));
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hangs_are_told),
      cmocka_unit_test(test_counts_that_end),
      cmocka_unit_test(test_first_budgets),
      cmocka_unit_test(test_long_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
