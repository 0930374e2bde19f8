// Texts for faults of mbarriers. Every kind of mbarrier.def gets a whole report with the barrier's name and
// numbers in it. The sentences that depend on the numbers are correct.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "virtual-hopper/rules/copy-words.h"
#include "virtual-hopper/rules/mbarrier-words.h"

static const char *const kinds[] = {
#define MBARRIER_FAULT(id, rule, role, remedy) #id,
#include "virtual-hopper/rules/mbarrier.def"
};

static struct mbarrier_facts full_barrier(enum mbarrier_fault_kind kind) {
  return (struct mbarrier_facts){.kind = kind,
                                 .name = "barrier `full`",
                                 .offset = 1028,
                                 .limit = 1048575,
                                 .phase = 3,
                                 .expected_arrivals = 1,
                                 .pending_arrivals = 1};
}

static bool is_sentence(const char *text, size_t size) {
  size_t length = strlen(text);
  return length > 10 && length + 1 < size && strchr(".?;", text[length - 1 - (text[length - 1] == ')')]) &&
         !strstr(text, "  ") && !strchr(text, '%');
}

static void every_kind_has_words(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const struct mbarrier_facts facts = full_barrier((enum mbarrier_fault_kind)i);
    struct fault f;
    mbarrier_words(&facts, &f);
    const enum fault_severity severity =
        facts.kind == BARRIER_INVALIDATED_TWICE ? FAULT_WARNING : FAULT_ERROR;
    if (f.rule == RULE_NONE || f.severity != severity || f.device_error || f.related_count || f.edit)
      fail_msg("%s: rule %d, severity %d", kinds[i], (int)f.rule, (int)f.severity);
    if (!is_sentence(f.message, sizeof f.message)) fail_msg("%s says \"%s\"", kinds[i], f.message);
    if (*f.remedy && !is_sentence(f.remedy, sizeof f.remedy))
      fail_msg("%s advises \"%s\"", kinds[i], f.remedy);
    if (strlen(f.role) < 5) fail_msg("%s: role \"%s\"", kinds[i], f.role);
  }
}

static void assert_text(const char *text, const char *part) {
  if (!strstr(text, part)) fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static void bytes_are_counted(void **state) {
  (void)state;
  struct fault f;
  struct mbarrier_facts b = full_barrier(PHASE_BYTES_DIFFER);
  b.expected_bytes = 64;
  b.completed_bytes = 256;
  b.element_bytes = 4;
  mbarrier_words(&b, &f);
  assert_text(f.message,
              "64 bytes were announced for phase 3 of the barrier `full` and 256 landed: 192 too few were "
              "announced (256 is 4 times 64: elements instead of bytes?).");
  assert_text(f.remedy, "once: expect_bytes_and_arrive");
  b.expected_arrivals = 2;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "must come to 256 bytes");
  snprintf(b.box, sizeof b.box, "8 x 8 of float32");
  b.box_bytes = 256;
  b.expected_bytes = 512;
  b.element_bytes = 0;
  mbarrier_words(&b, &f);
  assert_text(f.message,
              "256 too many were announced (twice the bytes: is a second load missing, or the map's ");
  assert_text(f.remedy, "here 8 x 8 of float32, 256 bytes.");
}

static void whose_size_counts_elements_is_told(void **state) {
  (void)state;
  struct fault f;
  struct mbarrier_facts b = full_barrier(PHASE_BYTES_DIFFER);
  b.expected_bytes = 512;
  b.completed_bytes = 128;
  b.copy_elements = 4;
  mbarrier_words(&b, &f);
  assert_text(f.message, "were announced (512 is 4 times 128: is the copy's size a number of elements?).");
}

// Where a phase takes an arrival of each thread, nobody can arrive for it twice.
static void who_arrives_before_waiting_is_advised(void **state) {
  (void)state;
  struct fault f;
  struct mbarrier_facts b = full_barrier(BARRIER_UNOBSERVED);
  b.expected_arrivals = 1;
  b.block_threads = 128;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "more threads arrive than the barrier counts, 1");
  b.expected_arrivals = 128;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "each thread arrives once for a phase, and then waits for that phase");
}

// Words that threads of another block send: no mask is wrong.
static void words_that_are_missing_are_counted(void **state) {
  (void)state;
  struct fault f;
  struct mbarrier_facts b = full_barrier(PHASE_BYTES_DIFFER);
  b.cluster_blocks = 2;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "mask has this block's bit");
  b.phase = 0;
  mbarrier_words(&b, &f);
  assert_null(strstr(f.remedy, "a phase early")); // there was none before
  b.phase = 2;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "Or has one landed a phase early");
  b.gets_words = true;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "Do all threads come by that should send");
}

// Each arrival counts as two, and another thread has come than those that completed the phase.
static void arrivals_with_a_count_are_told(void **state) {
  (void)state;
  struct fault f;
  struct mbarrier_facts b = full_barrier(BARRIER_COUNTED_TWICE);
  b.block_threads = b.expected_arrivals = 128;
  b.count = 2;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "This arrival counts as 2. If each thread arrives for itself, leave the count out");
}

// The phases before had all their arrivals: so the count is right, most likely.
static void an_arrival_left_out_in_a_later_turn_is_looked_for(void **state) {
  (void)state;
  struct fault f;
  struct mbarrier_facts b = full_barrier(PHASE_ARRIVALS_MISSING);
  b.expected_arrivals = 4;
  b.arrivals = b.pending_arrivals = 2;
  b.count_is_wrong = true;
  b.phase = 0;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "(is it 2?)");
  b.phase = 2;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "The phases before it had all 4 arrivals. Which threads leave this one out");
}

// The blocks of a cluster arrive on each other's barriers, and each barrier counts them all.
static void arrivals_of_other_blocks_are_told(void **state) {
  (void)state;
  struct fault f;
  struct mbarrier_facts b = full_barrier(PHASE_ARRIVALS_MISSING);
  b.expected_arrivals = 16;
  b.arrivals = b.pending_arrivals = 8;
  b.count_is_wrong = true;
  b.phase = 0;
  b.arrived_ranks = 2;
  b.cluster_blocks = 1;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "(is it 8?)");
  b.cluster_blocks = 2;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "So far only threads of block 1 of the cluster have arrived.");
  b.arrived_ranks = 3; // both have
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "(is it 8? so many have come, from several blocks of the cluster)");
  b.arrived_ranks = 2;
  b.pending_arrivals = 7; // not twice as many
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "(is it 8?)");
  b = full_barrier(BARRIER_UNOBSERVED);
  b.cluster_blocks = 2;
  b.arrived_ranks = 3;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "Several blocks of the cluster arrive here");
}

static void an_arrival_too_many_is_advised(void **state) {
  (void)state;
  struct fault f;
  struct mbarrier_facts b = full_barrier(BARRIER_ARRIVALS);
  b.arrives_at_load = true;
  b.loader = 256;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "Is it the right barrier?");
  assert_text(f.remedy, "thread 256, which announces the bytes");
  b = full_barrier(BARRIER_ARRIVALS);
  b.arrives_in_line_again = true;
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "comes here again before the phase is over. In a ring it has to wait first");
}

static void a_missing_initialisation_names_the_lines(void **state) {
  (void)state;
  struct fault f;
  struct mbarrier_facts b = full_barrier(BARRIER_NOT_INITIALISED);
  mbarrier_words(&b, &f);
  assert_string_equal(f.remedy, "");
  b.init_lines[0] = 12;
  b.init_lines[1] = 14;
  b.init_line_count = 2;
  b.thread = 33;
  mbarrier_words(&b, &f);
  assert_text(f.message,
              "at line 12, 14, where nobody has come by yet: if this is one of them, thread 33 is too early, "
              "or no thread ever comes there.");
  assert_text(f.remedy, "Call init_barrier(bar, count) in one thread");
  b = full_barrier(BARRIER_NOT_INITIALISED);
  b.from_other_block = true;
  b.user_rank = 1;
  b.thread = 33;
  mbarrier_words(&b, &f);
  assert_text(f.message, "Nothing tells thread 33 of block 1 that block 0 of the cluster has begun.");
  assert_text(f.remedy, "cluster_arrive(); cluster_wait(); in every thread of the cluster's blocks.");
}

static void who_announced_elsewhere_is_told(void **state) {
  (void)state;
  struct fault f;
  char role[160];
  struct mbarrier_facts b = full_barrier(PHASE_LANDED_NO_ARRIVAL);
  mbarrier_words(&b, &f);
  assert_text(f.remedy, "Before the copy");
  snprintf(b.other_name, sizeof b.other_name, "barrier `empty`");
  mbarrier_words(&b, &f);
  assert_text(f.message, "As many were announced on another one, the barrier `empty`.");
  assert_text(f.remedy, "the same `bar` in both");
  mbarrier_relation_words(RELATED_ANNOUNCEMENT_ELSEWHERE, &b, role, sizeof role);
  assert_string_equal(role, "announces as many on the barrier `empty`");
  mbarrier_relation_words(RELATED_LAST_ARRIVAL_OF_PHASE, &b, role, sizeof role);
  assert_string_equal(role, "made the last arrival of phase 2");
}

static void the_state_fits_a_line(void **state) {
  (void)state;
  char text[256];
  struct mbarrier_facts b = full_barrier(MBARRIER_FAULT_KINDS);
  b.tx_count = 64;
  mbarrier_state_words(&b, "line 21", text, sizeof text);
  assert_string_equal(
      text, "barrier `full` (initialised at line 21): phase 3, 1 of 1 arrivals owed, 64 bytes owed");
  b.tx_count = -16;
  mbarrier_state_words(&b, "", text, sizeof text);
  assert_string_equal(
      text, "barrier `full`: phase 3, 1 of 1 arrivals owed, 16 bytes more landed than were announced");
}

static void copies_under_way_are_told(void **state) {
  (void)state;
  struct fault f;
  struct copy_facts s = {.bytes = 64, .thread = 3, .committed_groups = 1, .idle_thread = 9};
  copy_words_not_committed(&s, &f);
  assert_int_equal(f.rule, RULE_STORE_NOT_COMMITTED);
  assert_text(f.message,
              "store of 64 bytes: none of its waits covers the store (it committed 1 group before).");
  copy_words_not_awaited(&s, &f);
  assert_int_equal(f.rule, RULE_STORE_NOT_AWAITED);
  assert_text(f.message, "by thread 3 of its block, which never waits; thread 9 waits");
  s.waited = true;
  s.wait_line = 40;
  copy_words_not_awaited(&s, &f);
  assert_text(f.message, "whose last wait, at line 40, does not cover it");
  copy_words_freed(&s, &f);
  assert_int_equal(f.rule, RULE_OUT_OF_BOUNDS);
  assert_text(f.message, "for the global memory that it reads.");
  assert_text(f.remedy, "the load's barrier");
  s.by_group = true;
  copy_words_freed(&s, &f);
  assert_text(f.remedy, "cp.async.wait_all");
  s.to_global = true;
  copy_words_freed(&s, &f);
  assert_text(f.message, "for the global memory that it writes.");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_has_words),
      cmocka_unit_test(bytes_are_counted),
      cmocka_unit_test(whose_size_counts_elements_is_told),
      cmocka_unit_test(who_arrives_before_waiting_is_advised),
      cmocka_unit_test(a_missing_initialisation_names_the_lines),
      cmocka_unit_test(words_that_are_missing_are_counted),
      cmocka_unit_test(arrivals_with_a_count_are_told),
      cmocka_unit_test(an_arrival_left_out_in_a_later_turn_is_looked_for),
      cmocka_unit_test(arrivals_of_other_blocks_are_told),
      cmocka_unit_test(an_arrival_too_many_is_advised),
      cmocka_unit_test(who_announced_elsewhere_is_told),
      cmocka_unit_test(the_state_fits_a_line),
      cmocka_unit_test(copies_under_way_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
