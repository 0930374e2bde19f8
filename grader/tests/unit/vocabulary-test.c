// Messages for programs that don't include the kit's interface. Every call of a function of the kit in a text
// of the lists is translated; spellings are added to the remedy, each once.
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/rules/fault.h"
#include "virtual-hopper/rules/vocabulary.h"

static const char *const texts[] = {
#define RULE(id, name, title, remedy) remedy,
#include "virtual-hopper/rules/rules.def"
#define MBARRIER_FAULT(id, rule, role, remedy) remedy,
#define ROLE_STUCK                             ""
#include "virtual-hopper/rules/mbarrier.def"
#define CONFLICT(id, rule, mend, earlier, later, message, remedy) message, remedy,
#define REMEDY_BETWEEN_BLOCKS                                     ""
#define REMEDY_STORE_AND_ATOMIC                                   ""
#define ATOMICS_OF_TWO_SIZES                                      ""
#define REMEDY_TWO_SIZES                                          ""
#define REMEDY_CP_ASYNC                                           ""
#define REMEDY_EMPTY_BARRIER                                      ""
#define REMEDY_PARITY                                             ""
#define REMEDY_REFUSED_WAIT                                       ""
#define REMEDY_WRITE_THEN_STORE                                   ""
#define REMEDY_WRITE_THEN_PRODUCT                                 ""
#define DEPENDS                                                   ""
#include "virtual-hopper/rules/conflict.def"
};

// CUDA's own, and what a host program may include alone; calls of these stay as they are.
static bool is_of_cuda(const char *name, size_t length) {
  static const char *const known[] = {"__syncthreads",
                                      "__syncwarp",
                                      "__trap",
                                      "__threadfence",
                                      "assert",
                                      "atomicAdd",
                                      "sync",
                                      "cudaGridDependencySynchronize",
                                      "cudaTriggerProgrammaticLaunchCompletion",
                                      "__pipeline_wait_prior",
                                      "__pipeline_commit",
                                      "consumer_wait",
                                      "consumer_release",
                                      "__ldg",
                                      "quit",
                                      "alignas",
                                      "tensor_map_encode"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i]) == length && strncmp(name, known[i], length) == 0) return true;
  return false;
}

static void expect_no_call(const char *text, const char *original) {
  for (const char *at = strchr(text, '('); at; at = strchr(at + 1, '(')) {
    const char *name = at;
    while (name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
      name--;
    if (name == at || is_of_cuda(name, (size_t)(at - name))) continue;
    fail_msg("a call is left in \"%s\", of \"%s\"", text, original);
  }
}

static void test_every_call_is_translated(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char text[FAULT_REMEDY_BYTES];
    snprintf(text, sizeof text, "%s", texts[i]);
    vocabulary_translate(text, sizeof text);
    expect_no_call(text, texts[i]);
  }
}

static void test_arguments_go_with_the_call(void **state) {
  (void)state;
  char text[200] =
      "Call tma_wait_until_read_pending<N>() or wait(&empty[f(stage)], parity ^ 1), and await it.";
  vocabulary_translate(text, sizeof text);
  assert_string_equal(
      text, "Call cp.async.bulk.wait_group.read N or mbarrier.try_wait.parity (in a loop), and await it.");
}

static struct fault record(enum fault_words words) {
  struct fault_report *report = fault_report_create();
  struct fault fault = {
      .rule = RULE_PROXY_FENCE, .severity = FAULT_ERROR, .message = "expect_bytes() is none."};
  snprintf(fault.remedy, sizeof fault.remedy, "Call async_proxy_fence(), then async_proxy_fence() again.");
  fault_use_words(report, words);
  fault_record(report, &fault);
  fault = *fault_at(report, 0);
  fault_report_destroy(report);
  return fault;
}

static void test_a_report_has_its_words(void **state) {
  (void)state;
  struct fault fault = record(FAULT_WORDS_KIT);
  assert_string_equal(fault.remedy, "Call async_proxy_fence(), then async_proxy_fence() again.");
  fault = record(FAULT_WORDS_PTX);
  assert_string_equal(fault.message, "mbarrier.expect_tx is none.");
  assert_string_equal(
      fault.remedy, "Call fence.proxy.async.shared::cta, then fence.proxy.async.shared::cta again.\n"
                    "fence.proxy.async.shared::cta is cuda::ptx::fence_proxy_async(cuda::ptx::space_shared) "
                    "in libcu++, cutlass::arch::fence_view_async_shared() or cute::tma_store_fence() in "
                    "CUTLASS.");
}

static void test_a_rule_s_own_remedy(void **state) {
  (void)state;
  struct fault fault = {.rule = RULE_PARITY};
  vocabulary_translate_fault(&fault, false);
  assert_string_equal(fault.remedy, rule_of(RULE_PARITY)->remedy);
  fault = (struct fault){.rule = RULE_STORE_NOT_COMMITTED};
  vocabulary_translate_fault(&fault, false);
  assert_non_null(strstr(fault.remedy, "Call cp.async.bulk.commit_group in the issuing thread"));
}

// A kernel that waits by tokens is told of those, in every text of the fault.
static void test_waits_by_token(void **state) {
  (void)state;
  struct fault fault = {.rule = RULE_TILE_BEFORE_PHASE,
                        .remedy = "Call wait(bar, parity) before it.",
                        .message = "wait(bar, parity) is missing."};
  vocabulary_translate_fault(&fault, true);
  assert_non_null(strstr(fault.remedy, "with the token of the thread's own arrival before it."));
  assert_non_null(strstr(fault.remedy, "barrier.wait(std::move(token))"));
  assert_null(strstr(fault.remedy, "parity"));
  assert_null(strstr(fault.message, "parity"));
}

// A phrase that doesn't read well before "is" has a name for that place.
static void test_phrases_read_well(void **state) {
  (void)state;
  static const struct {
    const char *remedy, *ends;
  } cases[] = {
      {"Ask: while (!try_wait(bar, parity)) {}; or call wait(bar, parity).",
       "\nSuch a loop is barrier.wait_parity"},
      {"Call wait_cluster(bar, parity).", "\nSuch a loop is cutlass::arch::ClusterBarrier::wait(phase)"},
      {"Put cluster_arrive(); cluster_wait(); there.", "\nThe pair of them is cluster.sync()"},
      {".._gpu(map) if a kernel did", "\nfence.proxy.tensormap::generic.acquire.gpu is cute::"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct fault fault = {.rule = RULE_PARITY};
    snprintf(fault.remedy, sizeof fault.remedy, "%s", cases[i].remedy);
    vocabulary_translate_fault(&fault, false);
    if (!strstr(fault.remedy, cases[i].ends)) fail_msg("\"%s\" lacks \"%s\"", fault.remedy, cases[i].ends);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_call_is_translated), cmocka_unit_test(test_arguments_go_with_the_call),
      cmocka_unit_test(test_a_report_has_its_words),   cmocka_unit_test(test_a_rule_s_own_remedy),
      cmocka_unit_test(test_waits_by_token),           cmocka_unit_test(test_phrases_read_well),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
