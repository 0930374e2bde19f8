// What is wrong between two deeds, in sentences. In: a conflict as order/ states it. Out: the fault's
// message. One idea: what to do about it stands elsewhere, in conflict-words.c and conflict.def.
#include "virtual-hopper/rules/conflict-messages.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/arena.h"
#include "virtual-hopper/base/text.h"
#include "virtual-hopper/rules/culprit-words.h"

// "line 46"; with its file, where the report's places leave open which one is meant.
struct line_words {
  char text[192];
};

static struct line_words line_of(const struct conflict_facts *k, struct source_line at) {
  struct line_words words = {0};
  place_line_words(at, k->file, words.text, sizeof words.text);
  return words;
}

static void tell_stale_wait(const struct conflict_facts *k, char *text, size_t size) {
  stale_wait_words(&k->stale, text, size);
  switch (k->kind) {
  case CONFLICT_STALE_WAIT_THEN_ACCESS:
    append(text, size, ", and what follows touches bytes of a load that has not landed.");
    break;
  case CONFLICT_STALE_WAIT_THEN_LOAD:
    append(text, size, ", and the tile is read before this load has filled it.");
    break;
  case CONFLICT_STALE_WAIT_THEN_REFILL:
    append(text, size,
           ", and the load overwrites a tile that nobody has given back: the first time round the wait may "
           "pass, but this is not the first.");
    break;
  default:
    append(
        text, size,
        " and waits for nobody: not for thread %u either, which arrives there after it has worked on these "
        "bytes.",
        k->awaited_thread);
  }
}

// It did wait, and for nothing.
static void tell_bare_phase(const struct conflict_facts *k, char *text, size_t size) {
  const bool reads_first = k->kind == CONFLICT_READ_THEN_LOAD;
  append(
      text, size,
      "Thread %u waits for the %s, on which the load completes, at %s: for its phase %u. But no load belongs "
      "to that phase: its last arrival%s%s came before any bytes were announced. "
      "The load belongs to a later one.",
      reads_first ? k->earlier_thread : k->later_thread, k->barrier, line_of(k, k->last_wait_at).text,
      k->bare_phase - 1, k->arrival_at.line ? " at " : "",
      k->arrival_at.line ? line_of(k, k->arrival_at).text : "");
}

// On which barrier the load completes, and for which one this thread has waited instead.
static void tell_other_wait(const struct conflict_facts *k, char *text, size_t size) {
  if (*k->other_barrier)
    append(text, size, " The load completes on the %s; this thread's last wait, at %s, was for the %s.",
           k->barrier, line_of(k, k->last_wait_at).text, k->other_barrier);
  else if (k->earlier_phase)
    append(
        text, size,
        " The load completes phase %u of the %s; this thread's last wait, at %s, was for phase %u, which is "
        "over without it.",
        k->load_phase, k->barrier, line_of(k, k->last_wait_at).text, k->load_phase - 1);
  else if (*k->barrier)
    append(text, size, " The load completes on the %s.", k->barrier);
}

static void tell_load(const struct conflict_facts *k, char *text, size_t size) {
  if (k->later == DEED_PRODUCT)
    append(text, size,
           "The load lands some time after it is issued, and not every warp that multiplies has waited for "
           "its phase.");
  else
    append(text, size,
           "The load lands some time after it is issued. This thread has not waited for the phase of the "
           "barrier that tells that it has landed%s.",
           k->later == DEED_READ ? ": it may read the old contents"
                                 : ": the load may overwrite what it writes");
  tell_other_wait(k, text, size);
}

static void tell_overrun(const struct conflict_facts *k, char *text, size_t size) {
  if (*k->overrun.box)
    append(text, size, "The copy of the map's whole box, %s or %u bytes,", k->overrun.box, k->bytes);
  else
    append(text, size, "The copy of %u bytes", k->bytes);
  append(text, size, " begins at byte %u of `%s`, which has at most %u bytes, and runs %u bytes into `%s`.",
         k->overrun.begin, k->overrun.own, k->overrun.room, k->overrun.beyond, k->overrun.next);
}

static void tell_read_then_load(const struct conflict_facts *k, char *text, size_t size) {
  append(
      text, size,
      "The read goes through the generic proxy, the load's write through the async proxy, and a proxy fence "
      "between the two would order them. ");
  if (k->has_chain)
    append(text, size,
           "A release and an acquire stand between them, which NVIDIA's own pipelines rely on; the letter of "
           "the PTX ISA, 8.6, asks for the fence as well (--strict).");
  else
    append(text, size,
           "Only the order of a thread's program, or a meeting of the warp such as __syncwarp(),%s stands "
           "between them. With as little as that kernels have been seen to read the next tile's bytes on "
           "hardware.",
           k->is_warning ? "" : " or a flag that is not read by an acquire,");
}

static void tell_lifetime(const struct conflict_facts *k, char *text, size_t size) {
  switch (k->kind) {
  case CONFLICT_EXIT_BEFORE_READ:
    append(
        text, size,
        "The block ends while this store of %u bytes may still read its shared memory, which another block "
        "may get next.",
        k->bytes);
    return;
  case CONFLICT_EXIT_BEFORE_LANDING:
    append(
        text, size,
        "The copy of %u bytes completes on the %s, and no thread of %s waits for that phase: the block may "
        "end first. Its shared memory may belong to another block by then, whose data the copy overwrites.",
        k->bytes, k->barrier, k->distance == SAME_CLUSTER ? "the block that receives it" : "the block");
    return;
  case CONFLICT_EXIT_BEFORE_SENT:
    append(text, size,
           "The copy of %u bytes reads its source until it completes on the barrier of the receiving block. "
           "Nothing tells this block that it has, so it may end first, and the copy sends what another block "
           "has put there.",
           k->bytes);
    return;
  case CONFLICT_BLOCK_NOT_BEGUN:
    append(
        text, size,
        "Nothing tells this thread that block %u of the cluster has begun. Until it has, that memory may be "
        "somebody else's.",
        k->block_rank);
    return;
  case CONFLICT_BLOCK_GONE:
    if (k->has_ended)
      append(text, size, "Block %u of the cluster has ended, and nothing made it wait for this.",
             k->block_rank);
    else
      append(text, size,
             "Nothing makes block %u of the cluster wait for this: it may have ended before, and that memory "
             "may be somebody else's by then.",
             k->block_rank);
    return;
  default: die("conflict %d is none of a block's life", (int)k->kind);
  }
}

static void tell_outrun(const struct conflict_facts *k, char *text, size_t size) {
  append(text, size,
         "Nothing makes the next phase of the %s wait until this wait has returned: both phases may be over "
         "before it asks. It knows them by their parity alone, and would wait for one that is two further "
         "on, perhaps for ever. In this run it came in time.",
         *k->barrier ? k->barrier : "barrier");
}

static void tell_numbers(const struct conflict_facts *k, char *text, size_t size) {
  switch (k->kind) {
  case CONFLICT_WRITE_THEN_ACCESS:
    append(text, size, "Nothing orders the two accesses: the %s may happen first.",
           k->later == DEED_READ ? "read" : "second write");
    return;
  case CONFLICT_WRITE_AFTER_ARRIVAL:
    append(text, size,
           "Thread %u writes after its arrival on the %s, at %s. An arrival hands over what came before "
           "it, so whoever waits for the phase may not see this write.",
           k->earlier_thread, k->barrier, line_of(k, k->arrival_at).text);
    return;
  case CONFLICT_PHASE_OUTRUN: tell_outrun(k, text, size); return;
  case CONFLICT_COUNT_TOO_SMALL: crowd_message(k, line_of(k, k->last_wait_at).text, text, size); return;
  case CONFLICT_RING_BEGUN_ANEW:
  case CONFLICT_ARRIVES_UNAWAITED: ring_message(k, text, size); return;
  case CONFLICT_LOAD_THEN_PRODUCT:
  case CONFLICT_LOAD_NOT_AWAITED: tell_load(k, text, size); return;
  case CONFLICT_READ_THEN_UNFENCED_LOAD: tell_read_then_load(k, text, size); return;
  case CONFLICT_TWO_LOADS:
    append(text, size, "Two loads are on their way into the same bytes: either may land last.");
    if (*k->barrier)
      append(text, size, " The first one completes on the %s, the second one on the %s.", k->barrier,
             k->other_barrier);
    return;
  case CONFLICT_LOAD_PAST_VARIABLE:
  case CONFLICT_STORE_PAST_VARIABLE: tell_overrun(k, text, size); return;
  case CONFLICT_STALE_WAIT_THEN_ACCESS:
  case CONFLICT_STALE_WAIT_THEN_LOAD:
  case CONFLICT_STALE_WAIT_THEN_REFILL:
  case CONFLICT_STALE_WAIT_FOR_THREAD: tell_stale_wait(k, text, size); return;
  case CONFLICT_BLOCK_NOT_BEGUN:
  case CONFLICT_BLOCK_GONE:
  case CONFLICT_EXIT_BEFORE_READ:
  case CONFLICT_EXIT_BEFORE_LANDING:
  case CONFLICT_EXIT_BEFORE_SENT: tell_lifetime(k, text, size); return;
  case CONFLICT_REFUSED_WAIT_THEN_ACCESS:
  case CONFLICT_REFUSED_WAIT_THEN_WAIT:
  case CONFLICT_REFUSED_WAIT_FOR_THREAD:
    append(text, size,
           "The wait for %s%s returned false: the phase was not complete. The thread goes on as if it were.",
           *k->barrier ? "the " : "a barrier", k->barrier);
    return;
  default: die("conflict %d has no message", (int)k->kind);
  }
}

// A barrier that one of the threads came through, and the other one didn't come to.
static void tell_partial(const struct conflict_facts *k, char *text, size_t size) {
  const struct line_words line = line_of(k, k->partial.at);
  const uint32_t came = k->partial.by_earlier ? k->earlier_thread : k->later_thread;
  if (k->partial.warp_lanes)
    append(
        text, size,
        " To the barrier at %s only %u of the 32 threads of a warp came, and thread %u was not among them. "
        "The barrier counts whole warps, so thread %u went on; but what thread %u did before is not handed "
        "over.",
        line.text, k->partial.warp_lanes, k->earlier_thread, k->later_thread, k->earlier_thread);
  else if (k->partial.by_neither)
    append(
        text, size,
        " The barrier at %s was reached by only %u of the block's %u threads: other lanes of this warp came "
        "to it, thread %u and thread %u did not.",
        line.text, k->partial.threads, k->partial.block_threads, k->earlier_thread, k->later_thread);
  else
    append(text, size,
           " The barrier at %s, which thread %u came through, was reached by only %u of the block's %u "
           "threads: thread %u left without coming to it%s.",
           line.text, came, k->partial.threads, k->partial.block_threads,
           k->partial.by_earlier ? k->later_thread : k->earlier_thread,
           k->partial.divides_warp ? ", though other lanes of its warp came" : "");
}

void conflict_message(const struct conflict_facts *k, const char *fixed, char *text, size_t size) {
  *text = '\0';
  if (k->culprit.kind == TOLD_BY_STRANGER)
    told_message(k, line_of(k, k->culprit.at).text, text, size);
  else if (culprit_is_fence(k)) {
    culprit_message(k, text + strlen(text), size - strlen(text));
    append(text, size, " So nothing puts the write before the %s for the async proxy.", culprit_copy(k));
  } else if (k->bare_phase)
    tell_bare_phase(k, text, size);
  else if (fixed)
    append(text, size, "%s", fixed);
  else
    tell_numbers(k, text, size);
  if (!culprit_is_fence(k)) culprit_message(k, text + strlen(text), size - strlen(text));
  if (k->in_other_block && !k->culprit.kind && conflict_rule(k->kind) == RULE_BUFFER_STILL_READ)
    other_block_message(k, text + strlen(text), size - strlen(text));
  else if (k->kind == CONFLICT_REFILL_WHILE_READ && *k->other_barrier && k->culprit.kind == CULPRIT_NONE)
    append(text, size,
           " The last wait of thread %u, at %s, was for the %s, whose phase takes %u arrival%s: does this "
           "reader arrive there, after its last read, and does that number stand for all who do?",
           k->later_thread, line_of(k, k->last_wait_at).text, k->other_barrier, k->other_count,
           k->other_count == 1 ? "" : "s");
  for (uint32_t i = 0; i < k->stale_wait_count; i++)
    append(text, size,
           " The last wait of thread %u, at %s, had returned at once: it ordered nothing. Was its parity "
           "right?",
           k->stale_waits[i].thread, line_of(k, k->stale_waits[i].at).text);
  if (k->refused_at.line)
    append(text, size,
           " The last wait of thread %u, at %s, had returned false, and the thread went on: it ordered "
           "nothing. Repeat it until it returns true.",
           k->later_thread, line_of(k, k->refused_at).text);
  if (*k->place) append(text, size, " The first byte concerned: %s.", k->place);
  if (k->has_partial_barrier) tell_partial(k, text, size);
  if (k->beyond_edge)
    append(text, size,
           " The bytes lie behind the tensor's edge, which cuts off the tile: in each row the chip writes on "
           "to the next multiple of 16 bytes, with what the tile holds there.");
}
