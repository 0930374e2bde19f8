// What is wrong with an mbarrier, in sentences. In: a fault as async/ states it. Out: its message. One idea:
// what to do about it stands elsewhere, in mbarrier-words.c and mbarrier.def.
#include "virtual-hopper/rules/mbarrier-messages.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/text.h"

typedef unsigned long long ull; // for %llu

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
    if (b->kind == BARRIER_UNOBSERVED && b->comes_again && !b->asked)
      append(text, size, " So far nobody has waited for this barrier.");
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
    if (*b->other_name)
      append(text, size, " As many bytes as this copy has are announced on the %s, for which no copy comes.",
             b->other_name);
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
  else if (announced == 2 * landed && !b->missing_peer && (b->cluster_blocks == 1 || *b->box))
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
      b->left_out_mask, b->block_rank, mbarrier_goes_to_itself(b) ? "the only one" : "not in it");
}

static void tell_peer(const struct mbarrier_facts *b, char *text, size_t size) {
  if (!b->missing_peer) return;
  append(
      text, size,
      " In the phase before, a copy of block %u of the cluster landed here; in this one none of that block "
      "has come.",
      (uint32_t)__builtin_ctz(b->missing_peer));
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
    tell_peer(b, text, size);
    return;
  case PHASE_BYTES_DIFFER:
    tell_bytes_differ(b, text, size);
    tell_left_out(b, text, size);
    tell_peer(b, text, size);
    return;
  case PHASE_ARRIVALS_MISSING:
    append(text, size, "Phase %llu of the %s needs %u arrivals and has had %u; ", (ull)b->phase, b->name,
           b->arrivals + b->pending_arrivals, b->arrivals);
    append(text, size,
           b->may_go_on ? "the other %u have not come all this time."
                        : "nobody is left who would make the other %u.",
           b->pending_arrivals);
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
    if (b->without_bytes)
      append(text, size,
             " No bytes were announced for it, as they were for other phases: an arrival of thread %u, which "
             "announces none, has completed it.",
             b->thread);
    return;
  default: tell_no_arrival(b, text, size);
  }
}

// ---- the whole --------------------------------------------------------------------------------------------

void mbarrier_message(const struct mbarrier_facts *b, char *text, size_t size) {
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
