// Words for conflicts. In: a conflict as order/ states it. Out: the texts of its fault. One idea: what never
// changes stands in conflict.def; here are the remedies and roles that depend on numbers and names.
// conflict-messages.c says what is wrong.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/text.h"
#include "virtual-hopper/rules/conflict-messages.h"
#include "virtual-hopper/rules/conflict.h"
#include "virtual-hopper/rules/culprit-words.h"
#include "virtual-hopper/rules/fault-causes.h"

#define REMEDY_BETWEEN_BLOCKS                                                                            \
  "If each block should have bytes of its own, one of the two addresses is wrong: look at the pointer, " \
  "the index or the coordinates in each of these lines. If two blocks should touch the same bytes, let " \
  "a second kernel do what comes second; or one block wait for the other, by "                           \
  "cooperative_groups::this_grid().sync() (cudaLaunchCooperativeKernel) or by a flag that is set after " \
  "__threadfence(). If one thread waits for that flag, __syncthreads() has to follow its wait."
#define ATOMICS_OF_TWO_SIZES                                                                         \
  "Atomics keep others out only where both change the very same bytes (PTX ISA 8.7, morally strong " \
  "operations). Of two that overlap in part, nothing says that the one doesn't lose what the other does."
#define REMEDY_TWO_SIZES                                                                           \
  "Let all atomics on these bytes have one size: a part of a 64-bit number is raised by a 64-bit " \
  "atomicAdd() whose operand is shifted to it. Or keep the numbers in words of their own."
#define REMEDY_STORE_AND_ATOMIC                                                         \
  "Set the value before the launch, with cudaMemset or by a kernel of its own; or let " \
  "something between the two order them, as cooperative_groups::this_grid().sync() does."
#define REMEDY_EMPTY_BARRIER                                                                                \
  "Let every reader arrive on an empty barrier (or use __syncthreads()) after its last read, and wait for " \
  "it before this load. Where one lane arrives for its warp, __syncwarp() comes before that."
#define REMEDY_PIPELINE                                                                                    \
  "In a cuda::pipeline every consumer calls consumer_release() after its last read of a stage, and every " \
  "producer producer_acquire() before this copy and producer_commit() after it, in every turn: does a "    \
  "condition or a `continue` lead some threads past one of them?"
#define REMEDY_CP_ASYNC                                                                              \
  "In every thread that copies: cp.async.commit_group (__pipeline_commit()) after its copies, then " \
  "cp.async.wait_group (__pipeline_wait_prior(N)); then __syncthreads(); then read."
#define REMEDY_CP_ASYNC_THEN_PRODUCT                                                                        \
  "In every thread that copies: cp.async.wait_group (__pipeline_wait_prior(N)), async_proxy_fence(), then " \
  "__syncthreads() or a barrier of the warpgroup; then the product."
#define REMEDY_WRITE_THEN_STORE                                                                              \
  "After the writes: async_proxy_fence() in every thread that wrote, then __syncthreads() (within one warp " \
  "__syncwarp() will do), then the store."
#define REMEDY_WRITE_THEN_PRODUCT                                                                        \
  "After the writes: async_proxy_fence() in every thread that wrote, then __syncthreads() or a barrier " \
  "of the warpgroup, then the product."
#define REMEDY_WAIT_RELAXED                                                                               \
  "Leave .relaxed out of the wait: mbarrier.try_wait and test_wait acquire if nothing is said, and that " \
  "is .acquire. Or put fence.acq_rel.cta (__threadfence_block()) behind the wait."
#define REMEDY_ARRIVAL_RELAXED                                                                             \
  "Leave .relaxed out of the arrival: mbarrier.arrive releases if nothing is said, and that is .release. " \
  "Or put fence.acq_rel.cta (__threadfence_block()) before it."
#define ROLE_REFUSED_WAIT "asks whether the phase is complete, is told that it isn't, and goes on"
#define REMEDY_REFUSED_WAIT                                                                                \
  "Ask until the answer is yes: while (!try_wait(bar, parity)) {}; or call wait(bar, parity), which does " \
  "that. try_wait may give up after a while, and test_wait doesn't wait at all."
#define ROLE_STALE_WAIT "waits for a phase that had completed before: the wait returns at once"

#define REMEDY_OTHER_STAGE                                                                             \
  "Is the stage that is touched the one that was waited for? If so, no wait stands before this: call " \
  "wait(bar, parity) for its barrier, in every thread that touches the tile. If not, one of the two "  \
  "indices is another stage's: that of the barrier, or that of the tile."

#define REMEDY_EARLIER_PHASE                                                                                \
  "Is this meant for the tile of the phase before? Then the next load is issued too early: let it wait "    \
  "until all that use the tile have arrived on an empty barrier, or reached __syncthreads(), behind their " \
  "last use. If not: call wait(bar, parity) once for each phase, before its tile is touched; and let one "  \
  "arrival come in a phase, that of expect_bytes_and_arrive(bar, bytes)."

#define REMEDY_CLUSTER_COPY                                                                          \
  "The block that receives the bytes waits for its barrier, and then arrives on one of this block: " \
  "arrive_remote(map_to_block(&bar, rank)). Wait for that before "

enum {
  FIRST = FAULT_EDIT_PLACE,
  SECOND = 1,
  EITHER = 2,
  HERE = FAULT_EDIT_HERE,
  BETWEEN = FAULT_EDIT_BETWEEN
};

static const char depends[] = ""; // stands for a text that is written below

#define BY(deed, role) [deed] = role,
#define NOBODY         [DEED_NONE] = NULL
#define DEPENDS        depends
static const struct conflict_entry {
  enum rule_id rule;
  int mend;
  const char *earlier[DEED_KINDS], *later[DEED_KINDS], *message, *remedy;
} entries[CONFLICT_KINDS] = {
#define CONFLICT(id, rule, mend, earlier, later, message, remedy) \
  [id] = {rule, mend, {earlier}, {later}, message, remedy},
#include "virtual-hopper/rules/conflict.def"
};

static const struct conflict_entry *entry_of(enum conflict_kind kind) {
  if (!(kind > CONFLICT_NONE && kind < CONFLICT_KINDS)) die("%d is the number of no conflict", (int)kind);
  return &entries[kind];
}

enum rule_id conflict_rule(enum conflict_kind kind) {
  return entry_of(kind)->rule;
}

// ---- remedies ---------------------------------------------------------------------------------------------

static const char *remedy_of_race(enum conflict_distance distance) {
  switch (distance) {
  case SAME_INSTRUCTION_OF_WARP:
    return "If all of them change one value, use an atomic: atomicAdd(). Else put __syncwarp() between the "
           "two turns, or __syncthreads() when other warps touch these bytes, too: lanes of a warp need not "
           "run in step.";
  case SAME_WARP:
    return "Put __syncwarp() between the two, or __syncthreads() when other warps touch these bytes, too: "
           "lanes of a warp need not run in step.";
  case SAME_BLOCK:
    return "Put __syncthreads() between the two, where every thread of the block reaches it; or let the "
           "first arrive on an mbarrier that the second waits for.";
  case SAME_CLUSTER: break;
  }
  return "Put cluster_arrive(); cluster_wait(); between the two, in every thread of the cluster's blocks.";
}

#define REMEDY_WITH_ATOMIC                                                                              \
  "An atomic orders nothing for an ordinary access beside it. Put __syncthreads() between the two; or " \
  "make both atomic, if each value that may be met is right."

#define REMEDY_OWN_GROUPS                                                                                   \
  "Wait for the thread's own groups (cp.async.wait_group, __pipeline_wait_prior(N)), then "                 \
  "__syncthreads(), before others' elements are touched. With cuda::pipeline: pipe.consumer_wait() before " \
  "the tile is used, and pipe.consumer_release() after that, in every thread and turn: else the next "      \
  "consumer_wait() asks for the same stage."

#define REMEDY_FENCE_AFTER_READS                                                                           \
  "async_proxy_fence() after the reads, in every thread that read, before the synchronisation that leads " \
  "to the load."

static const char *remedy_by_facts(const struct conflict_facts *k) {
  switch (k->kind) {
  case CONFLICT_WRITE_THEN_ACCESS:
  case CONFLICT_READ_THEN_WRITE:
    return k->with_atomic && k->distance != SAME_CLUSTER ? REMEDY_WITH_ATOMIC : remedy_of_race(k->distance);
  case CONFLICT_READ_THEN_LOAD:
    return k->later == DEED_CP_ASYNC
               ? REMEDY_OWN_GROUPS
               : "Call wait(bar, parity) in every thread that touches the tile, before it does.";
  case CONFLICT_READ_THEN_UNFENCED_LOAD:
    return k->has_chain
               ? "Call " REMEDY_FENCE_AFTER_READS
               : "Let the readers arrive on a barrier, and the issuing thread wait for it, before the load; "
                 "or call " REMEDY_FENCE_AFTER_READS;
  case CONFLICT_PRODUCT_THEN_LOAD:
    return k->later == DEED_CP_ASYNC ? REMEDY_CP_ASYNC_THEN_PRODUCT
                                     : "Call wait(bar, parity) before the product, in every warp of the "
                                       "warpgroup.";
  case CONFLICT_TWO_LOADS:
    return *k->barrier
               ? "Give each load a stage of its own: look where it goes, stages + stage * TILE, say (a "
                 "pointer moves by elements, not by bytes), and on which barrier. If they share the buffer, "
                 "wait for the first one, and until its data has been used, before the second."
               : "Wait for the barrier phase of the first load, and until its data has been used, before the "
                 "buffer is filled again; or give each load its own stage.";
  case CONFLICT_LOAD_PAST_VARIABLE:
  case CONFLICT_STORE_PAST_VARIABLE:
    return *k->overrun.box
               ? "A tensor copy moves its map's whole box: is this the map that belongs to this buffer, and "
                 "is its box as large as the buffer?"
               : "Make the array as large as what is copied, or copy less.";
  case CONFLICT_COUNT_TOO_SMALL: return crowd_remedy(k);
  case CONFLICT_INIT_NOT_SEEN:
    return k->distance == SAME_CLUSTER
               ? "After init_barrier() call fence_mbarrier_init(), then cluster_arrive(); cluster_wait(); in "
                 "every thread, before the barrier is used."
               : "Put __syncthreads() after init_barrier(), before any other thread uses the barrier.";
  case CONFLICT_EXIT_BEFORE_LANDING:
    return k->distance == SAME_CLUSTER
               ? "Before the receiving block ends: wait_cluster(bar, parity) in one of its threads, for the "
                 "phase of every copy that others send to it."
               : "Before the block ends: wait(bar, parity) in one of its threads, for the phase of every "
                 "load. "
                 "A load whose data nobody needs is better not issued: do the last rounds prefetch too far?";
  case CONFLICT_CLUSTER_COPY_SOURCE_OVERWRITTEN:
    return k->later == DEED_LOAD ? REMEDY_CLUSTER_COPY "this load."
                                 : REMEDY_CLUSTER_COPY "the buffer is written.";
  default: die("conflict %d has no remedy", (int)k->kind);
  }
}

static const char remedy_of_many_groups[] =
    "Give that wait a smaller N: it may leave only groups that were committed after this store's. In a ring "
    "of two buffers, right before one of them is written again, tma_wait_until_read_pending<1>(); with 0 it "
    "leaves none. Then, if other threads write the buffer, __syncthreads().";

// The writer comes from a turn that this wait belongs to, or from the next one.
static const char remedy_of_groups_for_others[] =
    "Does __syncthreads() stand between that wait and the writes, in every round? Without it the other "
    "threads may write before the wait of their own round. If it does, give that wait a smaller N: it may "
    "leave only groups that were committed after this store's. In a ring of two buffers, right before one of "
    "them is written again, tma_wait_until_read_pending<1>(); with 0 it leaves none.";

static bool is_load_not_awaited(const struct conflict_facts *k) {
  return k->kind == CONFLICT_LOAD_NOT_AWAITED || k->kind == CONFLICT_LOAD_THEN_PRODUCT;
}

// Both barriers are of one array: "barrier `full[1]`".
static bool is_other_stage(const struct conflict_facts *k) {
  const char *bracket = strchr(k->barrier, '[');
  if (k->one_init) return true;
  return bracket && strncmp(k->barrier, k->other_barrier, (size_t)(bracket - k->barrier) + 1) == 0;
}

static bool is_stale_wait(enum conflict_kind kind) {
  return kind >= CONFLICT_STALE_WAIT_THEN_ACCESS && kind <= CONFLICT_STALE_WAIT_FOR_THREAD;
}

static const char *remedy_of(const struct conflict_facts *k, const struct conflict_entry *entry) {
  if (k->bare_phase)
    return "Announce the load's bytes before the last arrival of the phase that is waited for: "
           "expect_bytes_and_arrive(bar, bytes) does both at once, in each block that the copy goes to.";
  if (is_load_not_awaited(k) && k->culprit.kind == CULPRIT_NONE && is_other_stage(k))
    return REMEDY_OTHER_STAGE;
  if (k->earlier_phase && k->later != DEED_PRODUCT) return REMEDY_EARLIER_PHASE;
  if (k->in_pipeline && entry->rule == RULE_BUFFER_STILL_READ) return REMEDY_PIPELINE;
  if (entry->remedy != depends) return entry->remedy;
  return is_stale_wait(k->kind) ? stale_wait_remedy(&k->stale) : remedy_by_facts(k);
}

static int mend_of(const struct conflict_facts *k, int fixed) {
  if (fixed != EITHER) return fixed;
  if (k->kind == CONFLICT_REFILL_WHILE_READ) return k->loader_waits ? FIRST : SECOND;
  return *k->overrun.box ? FAULT_EDIT_HOST : FIRST;
}

// One of two addresses is wrong, or a wait for one of two barriers.
static bool mend_is_guess(const struct conflict_facts *k, const struct conflict_entry *entry) {
  return (entry->remedy && strcmp(entry->remedy, REMEDY_BETWEEN_BLOCKS) == 0 && !k->same_line) ||
         k->kind == CONFLICT_TWO_OWN_STORES || *k->overrun.box ||
         (is_load_not_awaited(k) && *k->other_barrier);
}

// ---- roles ------------------------------------------------------------------------------------------------

static const char *role_of(const struct conflict_facts *k, const char *const roles[DEED_KINDS],
                           enum deed_kind deed) {
  if (!(deed < DEED_KINDS && roles[deed]))
    die("conflict %d has no word for deed %d", (int)k->kind, (int)deed);
  return roles[deed];
}

static const char *earlier_role(const struct conflict_facts *k, const struct conflict_entry *entry) {
  bool stale = k->kind >= CONFLICT_STALE_WAIT_THEN_ACCESS && k->kind <= CONFLICT_STALE_WAIT_FOR_THREAD;
  if (k->earlier == DEED_WAIT && stale && k->stale.phases == 0)
    return "waits for the phase before the first: the wait returns at once";
  return role_of(k, entry->earlier, k->earlier);
}

static struct fault_related *add_related(struct fault *fault, const char *role) {
  struct fault_related *related = &fault->related[fault->related_count++];
  snprintf(related->role, sizeof related->role, "%s", role);
  return related;
}

void conflict_leave_out_thread(struct fault *fault) {
  static const char somebody[] = "a thread ";
  char role[sizeof fault->role];
  memcpy(role, fault->role, sizeof role);
  snprintf(fault->role, sizeof fault->role, "%s%.*s", somebody, (int)(sizeof role - sizeof somebody), role);
  fault->place.has_thread = false;
}

struct fault_related *conflict_add_other_wait(struct fault *fault) {
  struct fault_related *wait = add_related(fault, "waits for another barrier than the load's");
  fault->edit = (int)fault->related_count;
  return wait;
}

struct fault_related *conflict_add_wait(struct fault *fault) {
  struct fault_related *wait =
      add_related(fault, "waits for that load; the thread above has not, and touches the tile");
  fault->edit = (int)fault->related_count;
  fault->edit_is_guess = false;
  return wait;
}

static void add_culprit(const struct conflict_facts *k, struct fault *fault) {
  if (!k->culprit.kind) return;
  add_related(fault, culprit_role(k));
  if (k->culprit.kind == TOLD_BY_STRANGER) told_remedy(k, fault);
  // The wait itself is to be changed. (One that leaves groups may be right in its ring, and not at the end.)
  const bool threads_write = k->earlier == DEED_STORE && k->later == DEED_WRITE;
  if (k->culprit.kind == WAIT_BEFORE_COMMIT || k->culprit.kind == WAIT_ONLY_READS ||
      (k->culprit.kind == WAIT_LEAVES_GROUP && (threads_write || k->kind == CONFLICT_EXIT_BEFORE_READ)))
    fault->edit = (int)fault->related_count;
  if (k->culprit.kind == WAIT_LEAVES_GROUP && threads_write)
    snprintf(fault->remedy, sizeof fault->remedy, "%s",
             k->earlier_thread == k->later_thread ? remedy_of_many_groups : remedy_of_groups_for_others);
  if (k->culprit.kind == WAIT_BEFORE_COMMIT && k->earlier == DEED_STORE)
    snprintf(
        fault->remedy, sizeof fault->remedy,
        "Commit first, then wait: tma_commit_group() right behind the store, and before %s. Other threads "
        "that use the buffer come behind that wait: __syncthreads().",
        k->kind == CONFLICT_STORE_NOT_AWAITED ? "tma_wait_until_pending<0>()"
                                              : "tma_wait_until_read_pending<0>()");
  if (k->culprit.kind == BARRIER_NOT_AWAITED) culprit_remedy_barrier(fault);
  if (k->culprit.kind == CLUSTER_NOT_AWAITED || k->culprit.kind == CLUSTER_LEFT_EARLY)
    cluster_culprit_remedy(k, fault);
  if (k->culprit.kind == ARRIVAL_OF_WARP) arrival_of_warp_remedy(fault);
  if (k->culprit.kind == FLAG_RELAXED) relaxed_flag_remedy(k, fault);
  if (k->culprit.kind == ARRIVAL_TOO_EARLY) early_arrival_remedy(fault);
  if (k->culprit.kind == TILE_GIVEN_BACK) giver_remedy(k, fault);
  if (k->culprit.kind == ARRIVAL_NOT_AWAITED) not_awaited_remedy(k, fault);
  if (k->culprit.kind == ARRIVAL_IN_OWN_BLOCK) own_arrival_remedy(fault);
  if (k->culprit.kind == WAIT_RELAXED || k->culprit.kind == ARRIVAL_RELAXED) {
    snprintf(fault->remedy, sizeof fault->remedy, "%s",
             k->culprit.kind == WAIT_RELAXED ? REMEDY_WAIT_RELAXED : REMEDY_ARRIVAL_RELAXED);
    if (k->between_blocks) place_words_between_blocks(fault->remedy, sizeof fault->remedy);
    fault->edit = (int)fault->related_count;
  }
}

void conflict_words(const struct conflict_facts *k, struct fault *fault) {
  const struct conflict_entry *entry = entry_of(k->kind);
  const char *later = role_of(k, entry->later, k->later);
  memset(fault, 0, sizeof *fault);
  fault->rule = entry->rule;
  fault->severity = k->is_warning ? FAULT_WARNING : FAULT_ERROR;
  culprit_note_cause(k, fault);
  fault->edit = mend_of(k, entry->mend);
  fault->edit_is_guess = mend_is_guess(k, entry);
  conflict_message(k, entry->message == depends ? NULL : entry->message, fault->message,
                   sizeof fault->message);
  snprintf(fault->remedy, sizeof fault->remedy, "%s%s",
           k->counts_in_one_line ? "If several blocks add to one number in this line, use atomicAdd(). " : "",
           remedy_of(k, entry));
  if (k->between_blocks) place_words_between_blocks(fault->remedy, sizeof fault->remedy);
  if (k->in_other_block && fault->rule == RULE_BUFFER_STILL_READ) other_block_remedy(fault);
  if (k->same_line && !k->with_atomic)
    append(fault->remedy, sizeof fault->remedy,
           " Both stand in one line: if each thread should have elements of its own there, the index is "
           "wrong; if several threads add to one, use atomicAdd().");
  if (k->earlier == DEED_NONE) {
    snprintf(fault->role, sizeof fault->role, "%s", later);
    add_culprit(k, fault);
    return;
  }
  snprintf(fault->role, sizeof fault->role, "%s", earlier_role(k, entry));
  add_related(fault, later);
  add_culprit(k, fault);
  if (!k->has_partial_barrier) return;
  if (k->partial.warp_lanes || k->partial.divides_warp) fault->rule = RULE_DIVERGENT_BARRIER;
  if (k->partial.divides_warp) fault->cause = fault_cause(SUBJECT_DIVIDED_WARP, "", 0);
  snprintf(
      fault->remedy, sizeof fault->remedy, "%s",
      k->partial.warp_lanes
          ? "Let all 32 threads of each warp that is counted execute the bar.sync or bar.arrive: move it out "
            "of the branch, out of `if (lane == 0)` and out of elect.sync."
          : "Every thread of the block has to reach __syncthreads(): move it out of the `if`, and let nobody "
            "return before it.");
  add_related(fault, "is the barrier that not all threads reach");
  fault->edit = (int)fault->related_count;
  fault->edit_is_guess = false;
}
