// Words for faults of mbarriers. In: a fault as async/ states it. Out: its texts. One idea: rules, roles and
// fixed remedies stand in mbarrier.def; here are the sentences that have numbers and names in them.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
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

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...) {
  size_t used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, size - used, format, arguments);
  va_end(arguments);
}

static const char *plural(uint64_t count) {
  return count == 1 ? "" : "s";
}

// ---- messages: an operation that can't be carried out -----------------------------------------------------

static void tell_not_initialised(const struct mbarrier_facts *b, char *text, size_t size) {
  append(text, size, "No thread has initialised the %s (shared offset 0x%x of block %u) so far.", b->name,
         b->offset, b->block_rank);
  if (b->from_other_block)
    append(text, size, " Nothing tells thread %u of block %u that block %u of the cluster has begun.",
           b->thread, b->user_rank, b->block_rank);
  // An array's element is as long as a barrier, so it may be meant as one.
  if (b->past_end_of[0])
    append(
        text, size,
        strchr(b->name, '[')
            ? " Is its initialisation missing? Or was a barrier of `%s` meant, which end right before this "
              "place? Then the index is too large."
            : " That place lies behind the barriers of `%s`: is the index too large?",
        b->past_end_of);
  if (b->other_apart)
    append(
        text, size,
        " Another one is, the %s, at shared offset 0x%x: was that one meant, or are there two of one name?",
        b->other_name, b->other_offset);
  else if (b->kind == BARRIER_NOT_INITIALISED && b->other_name[0])
    append(
        text, size,
        " The %s, of the same array, is initialised: does the loop that does so come to all of them, and is "
        "the index right here?",
        b->other_name);
  if (b->init_line_count == 0) return;
  append(text, size, " The kernel initialises barriers at line ");
  for (uint32_t i = 0; i < b->init_line_count; i++)
    append(text, size, "%s%u", i ? ", " : "", b->init_lines[i]);
  append(text, size,
         ", where nobody has come by yet: if this is one of them, thread %u is too early, or no thread ever "
         "comes there.",
         b->thread);
}

static void tell_arrivals(const struct mbarrier_facts *b, char *text, size_t size) {
  switch (b->kind) {
  case BARRIER_UNOBSERVED:
  case BARRIER_COUNTED_TWICE:
    append(text, size,
           "Phase %llu of the %s is complete, no thread has seen that (no wait returned true), and this is "
           "already an arrival for phase %llu.",
           (ull)(b->phase - 1), b->name, (ull)b->phase);
    return;
  case BARRIER_NO_COMPLETE:
    append(text, size,
           "An arrival with .noComplete must not complete the phase, but only %u arrival%s of phase %llu %s "
           "owed and %u come.",
           b->pending_arrivals, plural(b->pending_arrivals), (ull)b->phase,
           b->pending_arrivals == 1 ? "is" : "are", b->count);
    return;
  default:
    append(
        text, size,
        "%u arrival%s on the %s, whose phase %llu needs %u and has had %u; %d bytes are still owed. What a "
        "chip does then is not defined: the phase may never complete.",
        b->count, plural(b->count), b->name, (ull)b->phase, b->expected_arrivals, b->arrivals, b->tx_count);
  }
}

static void tell_value(const struct mbarrier_facts *b, char *text, size_t size) {
  switch (b->kind) {
  case BARRIER_MISALIGNED:
    append(text, size, "The barrier's shared offset 0x%x is not a multiple of 8 (it is %u too far).",
           b->offset, b->offset % 8);
    return;
  case BARRIER_COUNT:
    append(text, size, "The arrival count %u is outside 1 to %u.", b->count, b->limit);
    return;
  case BARRIER_BYTES:
    append(text, size,
           "%lld bytes on top of %d make a transaction count of %lld; a phase can hold -%u to %u.",
           (long long)b->bytes, b->tx_count, (long long)(b->tx_count + b->bytes), b->limit, b->limit);
    return;
  case BARRIER_LATE_BYTES:
    append(text, size,
           "The last arrival of phase %llu of the %s has been made, and the %d bytes that it still waits "
           "for are under way: when they have landed, the phase is complete. So these %lld bytes may come "
           "too late for it, and be announced for the next one.",
           (ull)b->phase, b->name, b->tx_count, (long long)b->bytes);
    return;
  case BARRIER_TOKEN_OTHER:
    append(text, size, "The wait for the %s is given a token that ", b->name);
    if (b->other_name[0])
      append(text, size, "an arrival on the %s has returned: it says nothing of this one.", b->other_name);
    else
      append(text, size, "no arrival has returned.");
    return;
  case BARRIER_TOKEN_OUTRUN:
    append(text, size,
           "Thread %u waits for the %s with the token of its own last arrival. But since the beginning of "
           "that phase %u phases have ended: other threads have arrived for later ones, though this one had "
           "not seen its own. For so old a phase a chip answers by the parity alone.",
           b->thread, b->name, b->token_age);
    return;
  case BARRIER_TOKEN_OLD:
    append(text, size,
           "The wait for the %s is given the token of a phase since whose beginning %u phases have ended. A "
           "wait may ask for the running phase or the one right before it: for an older one a chip answers "
           "by the parity alone.",
           b->name, b->token_age);
    return;
  default:
    append(text, size,
           "The wait for the %s is given %u as its parity, which can only be 0 or 1: what a chip does with "
           "another value is not defined.",
           b->name, b->parity);
  }
}

static void tell_use(const struct mbarrier_facts *b, char *text, size_t size) {
  switch (b->kind) {
  case BARRIER_INVALIDATED: append(text, size, "The %s is used after it was invalidated.", b->name); return;
  case BARRIER_INVALIDATED_TWICE:
    append(text, size, "The %s was invalidated before; only a valid barrier may be.", b->name);
    return;
  case BARRIER_REINITIALISED:
    append(text, size,
           "The %s is live, in its phase %llu with %u of %u arrivals owed and %d bytes owed, and is "
           "initialised again.",
           b->name, (ull)b->phase, b->pending_arrivals, b->expected_arrivals, b->tx_count);
    return;
  case BARRIER_WRITTEN:
    append(text, size, "A write of %lld bytes reaches into the live %s, shared offset 0x%x to 0x%x.",
           (long long)b->bytes, b->name, b->offset, b->offset + 7);
    return;
  case BARRIER_FOUND_WRITTEN:
    append(text, size, "The 8 bytes of the live %s were written by something else than a barrier operation.",
           b->name);
    return;
  default:
    append(text, size,
           "The barrier lies in block %u of the cluster. Another block can arrive on it and announce "
           "bytes to it, but can't initialise it, invalidate it or wait for it.",
           b->block_rank);
  }
}

// ---- messages: a copy that lands --------------------------------------------------------------------------

static void tell_copy(const struct mbarrier_facts *b, char *text, size_t size) {
  switch (b->kind) {
  case COPY_WITHOUT_BARRIER:
    append(text, size, "A copy of %lld bytes completes on shared offset 0x%x of block %u, where %s.",
           (long long)b->bytes, b->offset, b->block_rank,
           b->invalidated ? "the barrier was invalidated while the copy was under way"
                          : "no barrier was initialised");
    return;
  case COPY_OVERFLOWS:
    append(text, size,
           "%lld more bytes land on the %s, which already had %d more than announced; it can hold %u.",
           (long long)b->bytes, b->name, -b->tx_count, b->limit);
    return;
  case COPY_UNANNOUNCED:
    append(text, size,
           "Phase %llu of the %s completes with the %llu bytes announced, while %u cop%s issued on it (%llu "
           "bytes) ha%s not landed: whoever waits goes on too early.",
           (ull)b->phase, b->name, (ull)b->expected_bytes, b->copies_pending,
           b->copies_pending == 1 ? "y" : "ies", (ull)b->pending_bytes, b->copies_pending == 1 ? "s" : "ve");
    return;
  case COPY_LEFT_OVER:
    append(text, size,
           "When the block ends, %d bytes have landed on the %s that its phase %llu was never told to "
           "expect: no wait covers the copy, so whoever uses the tile may be too early.",
           -b->tx_count, b->name, (ull)b->phase);
    return;
  case DEFERRED_ARRIVAL_TOO_MANY:
    append(text, size,
           "The arrival that cp.async.mbarrier.arrive announced comes on the %s, whose phase %llu has had "
           "all of its %u arrivals.",
           b->name, (ull)b->phase, b->expected_arrivals);
    return;
  default:
    append(text, size,
           "The arrival that cp.async.mbarrier.arrive announced comes on shared offset 0x%x, where no "
           "barrier is live any more: nobody has waited for these copies.",
           b->offset);
  }
}

// ---- messages: a phase that can't complete ----------------------------------------------------------------

static void tell_bytes_differ(const struct mbarrier_facts *b, char *text, size_t size) {
  long long announced = (long long)b->expected_bytes, landed = (long long)b->completed_bytes;
  append(text, size,
         "%lld bytes were announced for phase %llu of the %s and %lld landed: %lld too %s were announced",
         announced, (ull)b->phase, b->name, landed,
         announced > landed ? announced - landed : landed - announced, announced > landed ? "many" : "few");
  if (b->element_bytes)
    append(text, size, " (%lld is %u times %lld: elements instead of bytes?)", landed, b->element_bytes,
           announced);
  else if (b->copy_elements && !*b->box)
    append(text, size, " (%lld is %u times %lld: is the copy's size a number of elements?)", announced,
           b->copy_elements, landed);
  else if (announced == 2 * landed)
    append(text, size, " (twice the bytes: %s?)",
           *b->box ? "is a second load missing, or the map's data type half as wide as the elements"
                   : "announced twice");
  append(text, size, ".");
}

static void tell_no_arrival(const struct mbarrier_facts *b, char *text, size_t size) {
  char arrivals[32];
  snprintf(arrivals, sizeof arrivals, "%u arrival%s", b->expected_arrivals, plural(b->expected_arrivals));
  if (b->kind == PHASE_ANNOUNCED_NO_ARRIVAL) {
    append(text, size,
           "%llu bytes were announced for phase %llu of the %s and %llu have landed, but the phase also "
           "needs %s and has had none: expect_bytes() is no arrival.",
           (ull)b->expected_bytes, (ull)b->phase, b->name, (ull)b->completed_bytes, arrivals);
    return;
  }
  append(text, size,
         "%llu bytes have landed on the %s in its phase %llu, but nobody has announced them and nobody has "
         "arrived: the phase takes %s.",
         (ull)b->completed_bytes, b->name, (ull)b->phase, arrivals);
  if (*b->other_name) append(text, size, " As many were announced on another one, the %s.", b->other_name);
}

static bool goes_to_itself_alone(const struct mbarrier_facts *b) {
  return b->left_out_mask == 1u << b->block_rank;
}

static void tell_left_out(const struct mbarrier_facts *b, char *text, size_t size) {
  if (!b->left_out_mask) return;
  if (b->user_rank != b->block_rank) {
    append(text, size,
           " Block %u of the cluster has issued a multicast with this barrier whose mask is 0x%x: the bit of "
           "block %u is not in it.",
           b->user_rank, b->left_out_mask, b->block_rank);
    return;
  }
  append(
      text, size,
      " The block has issued a multicast with this barrier whose mask is 0x%x: its own bit, that of block %u "
      "of the cluster, is %s.",
      b->left_out_mask, b->block_rank, goes_to_itself_alone(b) ? "the only one" : "not in it");
}

static void tell_stuck(const struct mbarrier_facts *b, char *text, size_t size) {
  switch (b->kind) {
  case PHASE_NOT_ANNOUNCED:
    append(text, size,
           "%llu bytes landed on the %s in its phase %llu, and nobody announced any: the byte count stays at "
           "%d.",
           (ull)b->completed_bytes, b->name, (ull)b->phase, b->tx_count);
    return;
  case PHASE_NOT_DELIVERED:
    append(text, size, "%llu bytes were announced for phase %llu of the %s, and no copy delivers any.",
           (ull)b->expected_bytes, (ull)b->phase, b->name);
    tell_left_out(b, text, size);
    return;
  case PHASE_BYTES_DIFFER:
    tell_bytes_differ(b, text, size);
    tell_left_out(b, text, size);
    return;
  case PHASE_ARRIVALS_MISSING:
    append(text, size,
           "Phase %llu of the %s needs %u arrivals and has had %u; nobody is left who would make the other "
           "%u.",
           (ull)b->phase, b->name, b->arrivals + b->pending_arrivals, b->arrivals, b->pending_arrivals);
    if (b->added_arrivals)
      append(
          text, size,
          " cp.async.mbarrier.arrive without .noinc makes no arrival of those that the barrier counts, %u: "
          "it adds one to the phase, and makes that one. %u of them were added.",
          b->expected_arrivals, b->added_arrivals);
    return;
  case PHASE_NOT_BEGUN:
    append(text, size,
           "This wait asks for parity %u: phase %llu of the %s, in which nobody has arrived. Phase %llu, of "
           "parity %u, is complete, and no thread has ever seen it.",
           b->parity, (ull)b->phase, b->name, (ull)(b->phase - 1), b->parity ^ 1);
    return;
  default: tell_no_arrival(b, text, size);
  }
}

// ---- remedies ---------------------------------------------------------------------------------------------

static void advise_announced(const struct mbarrier_facts *b, char *text, size_t size) {
  ull sum = b->expected_bytes + b->pending_bytes;
  if (b->from_other_block) // most likely that one has gone ahead
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
  if (b->left_out_mask && !goes_to_itself_alone(b))
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

static void advise_unobserved(const struct mbarrier_facts *b, char *text, size_t size) {
  if (b->arrives_in_line_again)
    append(text, size, "Thread %u comes here again before anybody has seen the phase end." ADVICE_RING,
           b->thread);
  else if (b->kind == BARRIER_COUNTED_TWICE)
    append(
        text, size,
        "This arrival counts as %u. If each thread arrives for itself, leave the count out; else initialise "
        "the barrier with the sum of all counts of one phase.",
        b->count);
  else if (b->block_threads > 1 && b->expected_arrivals >= b->block_threads)
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
    if (!b->left_out_mask) return;
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

static void tell(const struct mbarrier_facts *b, char *text, size_t size) {
  switch (b->kind) {
  case BARRIER_NOT_INITIALISED: tell_not_initialised(b, text, size); return;
  case BARRIER_MISALIGNED:
  case BARRIER_COUNT:
  case BARRIER_BYTES:
  case BARRIER_LATE_BYTES:
  case BARRIER_TOKEN_OTHER:
  case BARRIER_TOKEN_OLD:
  case BARRIER_TOKEN_OUTRUN:
  case BARRIER_PARITY: tell_value(b, text, size); return;
  case BARRIER_UNOBSERVED:
  case BARRIER_COUNTED_TWICE:
  case BARRIER_NO_COMPLETE:
  case BARRIER_ARRIVALS: tell_arrivals(b, text, size); return;
  case BARRIER_INVALIDATED:
  case BARRIER_INVALIDATED_TWICE:
  case BARRIER_REINITIALISED:
  case BARRIER_WRITTEN:
  case BARRIER_FOUND_WRITTEN:
  case BARRIER_OF_OTHER_BLOCK: tell_use(b, text, size); return;
  case COPY_WITHOUT_BARRIER:
  case COPY_OVERFLOWS:
  case COPY_UNANNOUNCED:
  case COPY_LEFT_OVER:
  case DEFERRED_ARRIVAL_TOO_MANY:
  case DEFERRED_ARRIVAL_NOWHERE: tell_copy(b, text, size); return;
  default: tell_stuck(b, text, size);
  }
}

void mbarrier_words(const struct mbarrier_facts *facts, struct fault *fault) {
  if (!(facts->kind < MBARRIER_FAULT_KINDS)) die("%d is no kind of barrier fault", (int)facts->kind);
  memset(fault, 0, sizeof *fault);
  fault->rule = entries[facts->kind].rule;
  fault->severity = facts->kind == BARRIER_INVALIDATED_TWICE ? FAULT_WARNING : FAULT_ERROR;
  snprintf(fault->role, sizeof fault->role, "%s", entries[facts->kind].role);
  tell(facts, fault->message, sizeof fault->message);
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
