// Words for faults of mbarriers. In: a fault as async/ states it. Out: its texts. One idea: rules, roles and
// fixed remedies stand in mbarrier.def; here are the remedies that depend on numbers and names.
// mbarrier-messages.c says what is wrong.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/text.h"
#include "virtual-hopper/rules/mbarrier-messages.h"
#include "virtual-hopper/rules/mbarrier-words.h"

#define ROLE_STUCK "waits for a phase that can't complete"

static const struct {
  enum rule_id rule;
  const char *role, *remedy;
} entries[MBARRIER_FAULT_KINDS] = {
#define MBARRIER_FAULT(id, rule, role, remedy) [id] = {rule, role, remedy},
#include "virtual-hopper/rules/mbarrier.def"
};

typedef unsigned long long ull; // for %llu

// ---- remedies ---------------------------------------------------------------------------------------------

static void advise_announced(const struct mbarrier_facts *b, char *text, size_t size) {
  ull sum = b->expected_bytes + b->pending_bytes;
  if (*b->other_name)
    append(
        text, size,
        "Was the copy meant for the %s? expect_bytes_and_arrive(bar, bytes) and the copy are given the same "
        "barrier: in a ring, that of the stage into which the copy goes.",
        b->other_name);
  else if (b->from_other_block) // most likely that one has gone ahead
    append(text, size,
           "Block %u of the cluster has issued it, for a later phase perhaps: let it wait until each block "
           "that it copies into has given the stage back, by arrivals on its own empty barrier. If the copy "
           "belongs to this phase, announce its bytes, too: %llu in all.",
           b->user_rank, sum);
  else
    append(text, size,
           "Announce the bytes of every copy of the phase before its last arrival: all its announcements "
           "together must come to %llu bytes here.",
           sum);
}

static void advise_bytes(const struct mbarrier_facts *b, char *text, size_t size) {
  if (b->left_out_mask && !mbarrier_goes_to_itself(b))
    append(text, size, "If the tile is for this block, too, set its bit in the mask: 1 << %u. ",
           b->block_rank);
  if (b->left_out_mask)
    append(text, size, "For all blocks of the cluster the mask is 0x%x.", (1u << b->cluster_blocks) - 1);
  else if (b->gets_words && b->kind == PHASE_BYTES_DIFFER)
    append(
        text, size,
        "Count what st.async and red.async send to this barrier: 4 bytes, 8 or 16 for each thread that comes "
        "by. Do all threads come by that should send, and is it this block's barrier that each is given? "
        "Else announce as many bytes as they send.");
  else if (b->missing_peer)
    append(text, size,
           "Does block %u come to that copy in every turn: is there a `break`, a `continue` or a condition "
           "before it? Or does it wait for something before it, for arrivals that this block should make, "
           "say?",
           (uint32_t)__builtin_ctz(b->missing_peer));
  else if (b->cluster_blocks > 1 && b->kind == PHASE_BYTES_DIFFER)
    append(text, size,
           "Count all copies that land in this block: its own, and those of other blocks of the cluster "
           "whose mask has this block's bit, 1 << %u. Then mend the masks, what each block loads, or the "
           "bytes that are announced.%s",
           b->block_rank,
           b->phase ? " Or has one landed a phase early, since its block did not wait for all readers?" : "");
  else if (*b->box && b->element_bytes)
    append(text, size,
           "A tensor copy delivers its map's whole box, wherever it lies: here %s. Announce its bytes: %u.",
           b->box, b->box_bytes);
  else if (*b->box)
    append(
        text, size,
        "A tensor copy delivers its map's whole box, wherever it lies: here %s, %u bytes. If that isn't "
        "the tile that you mean, mend the map (its box, its data type; is another one encoded over it?); if "
        "it is, announce that box's bytes.",
        b->box, b->box_bytes);
  else if (b->expected_arrivals > 1)
    append(text, size,
           "Announce exactly what the phase's copies deliver: all its announcements together must come to "
           "%llu bytes here.",
           (ull)b->completed_bytes);
  else
    append(text, size,
           "Announce what the copies of this phase are given as their size, in bytes, once: "
           "expect_bytes_and_arrive(bar, bytes) with the same `bytes`, also for a short last tile.");
}

static uint32_t lowest_rank(uint32_t ranks) {
  return ranks ? (uint32_t)__builtin_ctz(ranks) : 31;
}

static void advise_arrivals(const struct mbarrier_facts *b, char *text, size_t size) {
  if (b->added_arrivals)
    append(text, size,
           "Write cp.async.mbarrier.arrive.noinc: its arrival is one of those that the barrier counts. "
           "Without .noinc every thread has to arrive as well, arrive(bar).");
  else if (mbarrier_lacks_blocks(b))
    append(text, size,
           "So far only threads of block %u of the cluster have arrived. Let those of the other blocks "
           "arrive, too: for each rank, map_to_block(&bar, rank) is the address of this barrier in that "
           "block. Or, if no other block has to, initialise the barrier with %u.",
           lowest_rank(b->arrived_ranks), b->arrivals);
  else if (b->count_is_wrong && b->phase > 0)
    append(
        text, size,
        "The phases before it had all %u arrivals. Which threads leave this one out: is there a `continue`, "
        "a `break`, a `return` or a condition before the arrival? If none is missing, the count is wrong "
        "with which the barrier is initialised.",
        b->arrivals + b->pending_arrivals);
  else if (b->count_is_wrong)
    append(
        text, size,
        "Initialise the barrier with the number of arrivals of one phase (is it %u?%s), or let the missing "
        "threads arrive.",
        b->arrivals,
        b->arrived_ranks & (b->arrived_ranks - 1) ? " so many have come, from several blocks of the cluster"
                                                  : "");
  else
    append(text, size,
           "Let the missing threads arrive, too: so far only thread %u has; or initialise the barrier with "
           "the number of arrivals of one phase.",
           b->thread);
}

static void advise_init(const struct mbarrier_facts *b, char *text, size_t size) {
  if (b->from_other_block)
    append(text, size,
           "In the barrier's block: init_barrier(bar, count) in one thread, then fence_mbarrier_init(). "
           "Then, before another block uses it, cluster_arrive(); cluster_wait(); in every thread of the "
           "cluster's blocks.");
  else if (b->init_line_count > 0)
    append(text, size,
           "Call init_barrier(bar, count) in one thread, then __syncthreads(), and only then use the "
           "barrier in others; before that only the thread that has initialised it may.");
}

#define ADVICE_RING                                                                                          \
  " In a ring it has to wait first, until the stage that it fills again is empty: for the barrier on which " \
  "all readers of the stage arrive. Else wait for each phase before arriving for the next one."

// Nobody is to blame for an arrival too many: the wait is missing, or it is for another barrier.
static void advise_waiter(const struct mbarrier_facts *b, char *text, size_t size) {
  const bool remote = b->cluster_blocks > 1 && (b->arrived_ranks & ~(1u << b->block_rank));
  if (b->asked)
    append(text, size,
           "Thread %u comes here again, and whoever waits for this barrier has not seen the phase before. Is "
           "it, here, the barrier of the very stage that has been used? And is it, there, that of the very "
           "stage that is filled next?",
           b->thread);
  else if (remote)
    append(
        text, size,
        "The arrivals come from another block of the cluster than the barrier's, block %u. A thread of that "
        "block, the one that fills the stage again, has to wait for this barrier first, "
        "wait_cluster(bar, parity), in every turn: a barrier on which its own block's readers arrive says "
        "nothing of the others.",
        b->block_rank);
  else
    append(text, size,
           "If this arrival gives a stage back, whoever fills that stage again has to wait for this barrier "
           "first, wait(bar, parity), in every turn. Else wait for each phase before arriving for the next "
           "one.");
}

static void advise_unobserved(const struct mbarrier_facts *b, char *text, size_t size) {
  const bool by_all = b->block_threads > 1 && b->expected_arrivals >= b->block_threads;
  if (b->kind == BARRIER_UNOBSERVED && b->comes_again && !by_all) {
    advise_waiter(b, text, size);
    return;
  }
  if (b->arrives_in_line_again)
    append(text, size, "Thread %u comes here again before anybody has seen the phase end." ADVICE_RING,
           b->thread);
  else if (b->kind == BARRIER_COUNTED_TWICE)
    append(
        text, size,
        "This arrival counts as %u. If each thread arrives for itself, leave the count out; else initialise "
        "the barrier with the sum of all counts of one phase.",
        b->count);
  else if (by_all)
    append(text, size,
           "The barrier counts as many arrivals as the block has threads. So each thread arrives once for a "
           "phase, and then waits for that phase, wait(bar, parity), before it arrives again.");
  else
    append(text, size,
           "Was this arrival meant for phase %llu? Then more threads arrive than the barrier counts, %u: let "
           "fewer arrive (one lane of each warp, say, after __syncwarp()), or initialise it with more. If "
           "not, wait for each phase before arriving for the next one.",
           (ull)(b->phase - 1), b->expected_arrivals);
  if (b->arrives_elsewhere)
    append(
        text, size,
        " Two lines arrive on this barrier. If it is that of a stage in a ring: does each of them come when "
        "this stage has been used, and not another one?");
  if (b->cluster_blocks > 1 && (b->arrived_ranks & (b->arrived_ranks - 1)))
    append(text, size,
           " Several blocks of the cluster arrive here: does the count stand for the threads, or the warps, "
           "of all of them?");
}

static void advise_extra_arrival(const struct mbarrier_facts *b, char *text, size_t size) {
  if (b->many_threads_arrive)
    append(text, size,
           "Several threads arrive here, and the barrier counts one: let one thread do it, `if "
           "(threadIdx.x == 0)`; or initialise the barrier with the number of arrivals of one phase.");
  else if (b->arrives_in_line_again)
    append(text, size, "Thread %u comes here again before the phase is over." ADVICE_RING, b->thread);
  else if (b->arrives_before_end)
    append(
        text, size,
        "The threads that arrive are as many as the barrier counts, and thread %u comes again before phase "
        "%llu is over: wait for that phase first, on this very barrier.",
        b->thread, (ull)b->phase);
  else if (b->same_thread_arrives)
    append(text, size,
           "Thread %u arrives at two places in one phase: take one of the two calls away. To announce more "
           "bytes for the phase, announce their sum at once, or call expect_bytes(), which is no arrival.",
           b->thread);
  else if (b->arrives_at_load)
    append(text, size,
           "Is it the right barrier? It tells that a load has landed, and counts thread %u, which announces "
           "the bytes. Threads that have read a stage arrive at another one, which tells that it is empty.",
           b->loader);
}

static void advise(const struct mbarrier_facts *b, char *text, size_t size) {
  append(text, size, "%s", entries[b->kind].remedy);
  switch (b->kind) {
  case BARRIER_NOT_INITIALISED: advise_init(b, text, size); return;
  case BARRIER_UNOBSERVED:
  case BARRIER_COUNTED_TWICE: advise_unobserved(b, text, size); return;
  case BARRIER_ARRIVALS: advise_extra_arrival(b, text, size); return;
  case COPY_UNANNOUNCED: advise_announced(b, text, size); return;
  case PHASE_NOT_ANNOUNCED:
  case PHASE_BYTES_DIFFER: advise_bytes(b, text, size); return;
  case PHASE_NOT_DELIVERED:
    if (!b->left_out_mask && !b->missing_peer) return;
    text[0] = '\0';
    advise_bytes(b, text, size);
    return;
  case PHASE_ANNOUNCED_NO_ARRIVAL:
    append(text, size,
           "Let the thread that announces the bytes also arrive, in one call: expect_bytes_and_arrive(bar, "
           "bytes)%s.",
           b->completed_bytes ? "" : "; and start the copy");
    return;
  case PHASE_LANDED_NO_ARRIVAL:
    if (*b->other_name)
      snprintf(text, size,
               "Announce the bytes on the barrier that the copy is given: expect_bytes_and_arrive(bar, "
               "bytes), the same `bar` in both.");
    return;
  case PHASE_ARRIVALS_MISSING: advise_arrivals(b, text, size); return;
  case PHASE_NOT_BEGUN:
    if (b->without_bytes) {
      append(text, size,
             "Is that arrival on the right barrier? This one tells that a load has landed, and is arrived on "
             "by whoever announces the bytes. Threads that have read a stage arrive at another one, which "
             "tells that it is empty.");
      return;
    }
    append(
        text, size,
        "The first phase of a barrier has parity 0, and the parity flips once for each phase of this "
        "barrier: after each completed wait for it, so in a ring once for each round. (Or is the barrier's "
        "count of %u too small, so that its phases end too early?)",
        b->expected_arrivals);
    return;
  default: return;
  }
}

// ---- the whole --------------------------------------------------------------------------------------------

void mbarrier_words(const struct mbarrier_facts *facts, struct fault *fault) {
  if (!(facts->kind < MBARRIER_FAULT_KINDS)) die("%d is no kind of barrier fault", (int)facts->kind);
  memset(fault, 0, sizeof *fault);
  fault->rule = entries[facts->kind].rule;
  fault->severity = facts->kind == BARRIER_INVALIDATED_TWICE ? FAULT_WARNING : FAULT_ERROR;
  snprintf(fault->role, sizeof fault->role, "%s", entries[facts->kind].role);
  mbarrier_message(facts, fault->message, sizeof fault->message);
  advise(facts, fault->remedy, sizeof fault->remedy);
}

void mbarrier_relation_words(enum mbarrier_relation relation, const struct mbarrier_facts *b, char *text,
                             size_t size) {
  static const char *const fixed[] = {
      [RELATED_LAST_ARRIVAL] = "made the last arrival",
      [RELATED_ARRIVAL_BEFORE] = "made the arrival before",
      [RELATED_ARRIVAL_WITHOUT_BYTES] = "arrives without announcing any bytes",
      [RELATED_ANNOUNCEMENT] = "announces bytes",
      [RELATED_ANNOUNCEMENT_WITHOUT_ARRIVAL] = "announces bytes, and does not arrive",
      [RELATED_COPY] = "issues the copy that delivered them",
      [RELATED_LEFT_OUT] = "issues a multicast that does not go to all blocks",
      [RELATED_LAST_COPY] = "issues the copy that landed last",
      [RELATED_OTHER_COPY] = "issues another copy of this phase",
      [RELATED_PEER_COPY] = "issues the copy that came in the phase before",
      [RELATED_WAIT] = "waits for this barrier",
      [RELATED_COPY_NOT_ANNOUNCED] = "starts a copy that nobody announces on its barrier",
  };
  switch (relation) {
  case RELATED_INIT:
    snprintf(text, size, "initialises the barrier with a count of %u", b->expected_arrivals);
    return;
  case RELATED_INIT_OF_SIBLING: snprintf(text, size, "initialises the %s", b->other_name); return;
  case RELATED_LAST_ARRIVAL_OF_PHASE:
    snprintf(text, size, "made the last arrival of phase %llu", (ull)(b->phase - 1));
    return;
  case RELATED_LAST_ARRIVAL_AT_ALL:
    snprintf(text, size, "made the last arrival, for phase %llu",
             (ull)(b->arrivals ? b->phase : b->phase - 1));
    return;
  case RELATED_ANNOUNCEMENT_OF_SUM:
    snprintf(text, size, "announces bytes; the phase's sum is %llu", (ull)b->expected_bytes);
    return;
  case RELATED_ANNOUNCEMENT_ELSEWHERE:
    snprintf(text, size, "announces as many on the %s", b->other_name);
    return;
  default: snprintf(text, size, "%s", fixed[relation]);
  }
}

void mbarrier_state_words(const struct mbarrier_facts *b, const char *init, char *text, size_t size) {
  snprintf(text, size, "%s", b->name);
  if (*init) append(text, size, " (initialised at %s)", init);
  append(text, size, ": phase %llu, %u of %u arrivals owed, ", (ull)b->phase, b->pending_arrivals,
         b->expected_arrivals);
  if (b->tx_count >= 0)
    append(text, size, "%d bytes owed", b->tx_count);
  else
    append(text, size, "%d bytes more landed than were announced", -b->tx_count);
}
