// In: a conflict, and what the program does against it. Out: the role of that deed, why it doesn't help, and
// the words for a flag that is set too early. One idea there: there is a flag, so "nothing makes the reader
// wait" would send the student astray.
#include "virtual-hopper/rules/culprit-words.h"

#include <stdio.h>

#include "virtual-hopper/rules/fault-causes.h"
#include "virtual-hopper/rules/place-words.h"

const char *culprit_role(const struct conflict_facts *k) {
  if (culprit_is_fence(k)) return "calls the proxy fence";
  if (k->culprit.kind == MAP_FENCE_ELSEWHERE) return "calls the fence for tensor maps";
  if (k->culprit.kind == FENCE_OF_INITS || k->culprit.kind == INIT_FENCE_TOO_EARLY ||
      k->culprit.kind == INIT_FENCE_OF_OTHER)
    return "calls the fence for initialised barriers";
  if (k->culprit.kind == FENCE_OF_MEMORY) return "calls the fence of memory";
  if (k->culprit.kind == FENCE_AFTER_INIT) return "calls the proxy fence behind the initialisation";
  if (k->culprit.kind == WAIT_RELAXED) return "waits with .relaxed";
  if (k->culprit.kind == ARRIVAL_OF_WARP) return "arrives for its warp, which has not met here";
  if (k->culprit.kind == ARRIVAL_TOO_EARLY) return "arrives, and the loading thread waits for that";
  if (k->culprit.kind == ARRIVAL_RELAXED) return "arrives with .relaxed";
  if (k->culprit.kind == ARRIVAL_IN_OWN_BLOCK) return "arrives on its own block's barrier";
  if (k->culprit.kind == ARRIVAL_NOT_AWAITED)
    return k->earlier == DEED_WRITE ? "arrives on a barrier after its write"
                                    : "arrives on a barrier after its read";
  if (k->culprit.kind == CLUSTER_NOT_AWAITED) return "arrives at the cluster's barrier, and does not wait";
  if (k->culprit.kind == CLUSTER_LEFT_EARLY) return "threads leave the kernel here";
  if (k->culprit.kind == BARRIER_NOT_AWAITED) return "arrives at a barrier of the block, and does not wait";
  if (k->culprit.kind == TOLD_BY_STRANGER)
    return k->earlier == DEED_STORE ? "tells the other block, in a thread that had not met the one that waits"
           : k->earlier == DEED_LOAD || k->earlier == DEED_CP_ASYNC
               ? "tells the other block, before it has seen the load complete"
               : "tells the other block, in a thread that had not met the one above";
  if (k->culprit.kind == FLAG_RELAXED) return "sets a flag, by an access that orders nothing else";
  if (k->culprit.kind == TILE_GIVEN_BACK) return "gives the tile back, by its arrival on a barrier";
  if (k->culprit.kind == WAIT_ONLY_READS) return "waits until bulk stores have read their source (.read)";
  return k->earlier == DEED_CP_ASYNC ? "waits for groups of cp.async" : "waits for bulk groups";
}

static const char *deed_of(const struct conflict_facts *k) {
  return (k->culprit.for_later ? k->later : k->earlier) == DEED_WRITE ? "write" : "read";
}

void told_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  char what[64] = "the thread that has seen the copy complete";
  if (k->earlier == DEED_LOAD && !k->culprit.for_later) {
    snprintf(text, size,
             "The load reads its source until the barrier's phase that it completes on is over. The other "
             "block is told by the access at %s, in a thread that has not seen that phase complete, and has "
             "met nobody who had. So the other block may write before the load has read.",
             line);
    return;
  }
  if (k->earlier == DEED_CP_ASYNC && !k->culprit.for_later) {
    snprintf(text, size,
             "cp.async reads its source until its thread has waited for it. The other block is told by the "
             "access at %s, in a thread that has not waited so, and has met nobody who had. So the other "
             "block may write before the copy has read.",
             line);
    return;
  }
  if (k->earlier != DEED_STORE)
    snprintf(what, sizeof what, "this %s of another thread of its block", deed_of(k));
  snprintf(
      text, size,
      "The other block is told by the access at %s. But that speaks for its own thread, and for what that "
      "thread had been made to wait for: and nothing makes it wait for %s, which may come later.",
      line, what);
}

void told_remedy(const struct conflict_facts *k, struct fault *fault) {
  if (k->earlier == DEED_LOAD && !k->culprit.for_later) {
    snprintf(fault->remedy, sizeof fault->remedy,
             "Call wait(bar, parity) for the phase of the load before the access that tells the other block, "
             "in the same thread; or let a thread tell that has waited, or has met one that has.");
    return;
  }
  if (k->earlier == DEED_CP_ASYNC && !k->culprit.for_later) {
    snprintf(fault->remedy, sizeof fault->remedy,
             "Before the access that tells the other block: cp.async.wait_all (or cp.async.wait_group, after "
             "a commit) in every thread that has issued a cp.async, then __syncthreads().");
    return;
  }
  if (k->earlier == DEED_STORE) {
    snprintf(fault->remedy, sizeof fault->remedy,
             "Let the thread that committed the copy tell the other block, after "
             "tma_wait_until_pending<0>(); or put __syncthreads() between that wait and the access that "
             "tells.");
    return;
  }
  snprintf(
      fault->remedy, sizeof fault->remedy,
      "Put __syncthreads() between the %s and the access that tells the other block, where every thread of "
      "the block reaches it; __syncwarp() is enough if the two threads are of one warp.",
      deed_of(k));
}

static void arrival_of_warp_message(const struct conflict_facts *k, const char *line, char *text,
                                    size_t size) {
  snprintf(
      text, size,
      " Thread %u waits for the arrival of thread %u, at %s, which is of the same warp as thread %u. But "
      "an arrival speaks for its own thread, and for those that it has met: the lanes of a warp need not "
      "be at the same place.",
      k->later_thread, k->culprit.thread, line, k->earlier_thread);
}

void arrival_of_warp_remedy(struct fault *fault) {
  snprintf(fault->remedy, sizeof fault->remedy,
           "Call __syncwarp() right before that arrival, in all lanes of the warp; or let every lane arrive, "
           "and count them all where the barrier is initialised.");
  fault->edit = (int)fault->related_count;
}

static void giver_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  char wait[192];
  const uint32_t thread = k->culprit.thread, newest = k->culprit.newest;
  int used = snprintf(
      text, size, " The load waits for the arrival of thread %u, at %s: that gives the tile back too early.",
      thread, line);
  if (used < 0 || (size_t)used >= size) return;
  if (!k->culprit.wait_at.line) {
    snprintf(text + used, size - (size_t)used, " Its warp has not waited for the product before.");
    return;
  }
  place_line_words(k->culprit.wait_at, k->file, wait, sizeof wait);
  snprintf(text + used, size - (size_t)used,
           " The last wait of its warp, at %s, leaves the newest %u group%s, and the product is in %s.", wait,
           newest, newest == 1 ? "" : "s", newest == 1 ? "it" : "one of them");
}

void giver_remedy(const struct conflict_facts *k, struct fault *fault) {
  fault->edit = (int)fault->related_count;
  fault->edit_is_guess = k->culprit.wait_at.line != 0;
  if (k->culprit.wait_at.line)
    snprintf(fault->remedy, sizeof fault->remedy,
             "Let that arrival give back the stage of a group that is done: with one group pending the stage "
             "of the turn before. Or wait for the newest one as well, wgmma_wait_until_pending<0>(), before "
             "the arrival.");
  else
    snprintf(fault->remedy, sizeof fault->remedy,
             "Before that arrival, in the warps that multiply: wgmma_wait_until_pending<N>(), with N the "
             "number of groups that are younger than this product's.");
}

static void early_arrival_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  snprintf(
      text, size,
      " Thread %u waits for the arrival of thread %u, at %s, but that comes before this read: an arrival "
      "hands back what its thread has done before it.",
      k->later_thread, k->culprit.thread, line);
}

void early_arrival_remedy(struct fault *fault) {
  snprintf(fault->remedy, sizeof fault->remedy,
           "Move that arrival behind the last read of the tile. Where one lane arrives for its warp, "
           "__syncwarp() comes before it.");
  fault->edit = (int)fault->related_count;
}

static void other_waits_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  snprintf(text, size,
           " Thread %u waits for bulk groups, at %s, but it has issued no store: a wait covers the groups of "
           "its own thread, and this store's group is thread %u's.",
           k->culprit.thread, line, k->earlier_thread);
}

static void not_awaited_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  snprintf(text, size,
           " Thread %u arrives on a barrier after its %s, at %s, but thread %u has not waited there.",
           k->earlier_thread, k->earlier == DEED_WRITE ? "write" : "read", line, k->later_thread);
}

static void own_arrival_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  snprintf(
      text, size,
      " The writer arrives on a barrier of its own block after the write, at %s. Thread %u has waited for "
      "the barrier of the same name in its block: that is another one.",
      line, k->later_thread);
}

void own_arrival_remedy(struct fault *fault) {
  snprintf(fault->remedy, sizeof fault->remedy,
           "Arrive on the barrier of the block whose memory is written: arrive_remote(map_to_block(&bar, "
           "rank)); and wait for it with the scope of the cluster.");
  fault->edit = (int)fault->related_count;
}

void not_awaited_remedy(const struct conflict_facts *k, struct fault *fault) {
  snprintf(
      fault->remedy, sizeof fault->remedy,
      "Call wait(bar, parity) for the barrier on which %s, before these bytes are %s. If it is another "
      "barrier that should order the two: __syncthreads() does, where every thread of the block reaches it.",
      k->earlier == DEED_WRITE ? "the writer arrives" : "the readers arrive",
      k->earlier == DEED_WRITE ? "read" : "written again");
}

void relaxed_flag_remedy(const struct conflict_facts *k, struct fault *fault) {
  snprintf(fault->remedy, sizeof fault->remedy,
           "Set the flag by a release, and read it by an acquire, as cuda::atomic_ref does with "
           "cuda::memory_order_release and cuda::memory_order_acquire; or call %s before the flag is set, "
           "and again after it was read.",
           k->between_blocks ? "__threadfence()" : "__threadfence_block()");
  fault->edit = (int)fault->related_count;
}

void culprit_remedy_barrier(struct fault *fault) {
  snprintf(
      fault->remedy, sizeof fault->remedy,
      "Write bar.sync for bar.arrive in the threads that use what others did: bar.arrive only hands over "
      "what its own thread did.");
  fault->edit = (int)fault->related_count;
}

void other_block_message(const struct conflict_facts *k, char *text, size_t size) {
  snprintf(text, size,
           " The buffer is in the shared memory of block %u of the cluster: what tells that the loading "
           "thread's own block has used its tile says nothing of that one.",
           k->block_rank);
}

void other_block_remedy(struct fault *fault) {
  snprintf(
      fault->remedy, sizeof fault->remedy,
      "Let the readers of every block that the copy goes to arrive on a barrier of the block that loads: "
      "arrive_remote(map_to_block(&bar, rank)), after their last read. Initialise it with the number of "
      "all those arrivals, and wait there, wait_cluster(&bar, parity), before this load.");
}

static void tell_arrivers(const struct conflict_facts *k, char *text, size_t size) {
  char copiers[96] = "";
  if (k->copiers)
    snprintf(copiers, sizeof copiers, ", %u of them by cp.async.mbarrier.arrive.noinc", k->copiers);
  if (k->arrivals_together == k->arrivers)
    snprintf(text, size,
             "%u threads arrive on it. So a phase ends as soon as any %u of them %s arrived, without the "
             "others.",
             k->arrivers, k->other_count, k->other_count == 1 ? "has" : "have");
  else
    snprintf(text, size,
             "%u are made on it if each thread comes once%s. So a phase ends before all have come.",
             k->arrivals_together, copiers);
}

void crowd_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  char who[192];
  tell_arrivers(k, who, sizeof who);
  int used = snprintf(text, size, "The %s counts %u arrival%s%s, and at least %s",
                      *k->barrier ? k->barrier : "barrier", k->other_count, k->other_count == 1 ? "" : "s",
                      k->count_lowered ? " (arrive_drop has lowered that)" : "", who);
  if (used < 0 || (size_t)used >= size) return;
  if (k->later == DEED_WAIT)
    snprintf(text + used, size - (size_t)used,
             " Thread %u waits by the token of its own arrival, but two phases or more have ended since: for "
             "such a token a chip answers by the parity alone.",
             k->later_thread);
  else if (k->arriver_blocks)
    snprintf(
        text + used, size - (size_t)used,
        " The threads are those of %u block%s of the cluster. Has each of them to be done before anybody "
        "goes on? Then the count is too small: it may be that of one block alone.",
        k->arriver_blocks, k->arriver_blocks == 1 ? "" : "s");
  else if (k->awaited_thread == CONFLICT_NO_THREAD)
    snprintf(text + used, size - (size_t)used,
             " The wait of thread %u at %s may return a turn too early: nobody has used the stage yet.",
             k->later_thread, line);
  else
    snprintf(text + used, size - (size_t)used,
             " The wait of thread %u at %s has not waited for thread %u, which arrives there, too.",
             k->later_thread, line, k->awaited_thread);
}

const char *crowd_remedy(const struct conflict_facts *k) {
  return k->count_lowered
             ? "Who has called arrive_drop (arrive_and_drop of libcu++) must not arrive on the barrier any "
               "more: neither in this phase again nor later."
         : k->copiers
             ? "Count each cp.async.mbarrier.arrive.noinc as an arrival, beside those of arrive(bar): "
               "initialise the barrier with all of them, or leave one of the two out."
         : k->arriver_blocks
             ? "Initialise the barrier with the arrivals of all blocks that a tile goes to: those that each "
               "block makes, times the number of blocks. Or let fewer threads arrive, as one of each block."
         : k->arrivals_together > k->arrivers
             ? "Initialise the barrier with the number of all arrivals of one phase; or leave the count out "
               "of the arrival, where each thread arrives for itself."
             : "Initialise the barrier with the number of all threads that arrive in one phase; or let fewer "
               "threads arrive, as one lane for its warp, after __syncwarp().";
}

void culprit_note_cause(const struct conflict_facts *k, struct fault *fault) {
  fault->names_culprit = k->culprit.kind == ARRIVAL_NOT_AWAITED || k->culprit.kind == ARRIVAL_OF_WARP ||
                         k->culprit.kind == ARRIVAL_TOO_EARLY;
  fault->overtakes = k->kind == CONFLICT_REFILL_BEFORE_LANDING;
  if (culprit_is_fence(k)) fault->cause = fault_cause(SUBJECT_FENCE, "", k->culprit.at.line);
  if (k->earlier == DEED_WAIT && k->stale.by_token)
    fault->cause = fault_cause(SUBJECT_TOKEN, k->stale.barrier, 0);
  fault->is_root = k->kind == CONFLICT_RING_BEGUN_ANEW || k->kind == CONFLICT_ARRIVES_UNAWAITED ||
                   (k->kind == CONFLICT_COUNT_TOO_SMALL && k->arriver_blocks > 0);
  switch (k->kind) {
  case CONFLICT_BLOCK_NOT_BEGUN:
  case CONFLICT_BLOCK_GONE:
  case CONFLICT_INIT_NOT_SEEN:
  case CONFLICT_INIT_NOT_RELEASED:
  case CONFLICT_GLOBAL_WRITE_NOT_FENCED:
  case CONFLICT_GLOBAL_SOFT_MESSAGE:
  case CONFLICT_GLOBAL_READ_NOT_ACQUIRED: fault->cause = fault_cause(SUBJECT_KIND, "", k->kind); return;
  default: return;
  }
}

// A fence of another kind than the one that is needed.
static void other_fence_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  const uint32_t thread = k->culprit.thread;
  if (k->culprit.kind == FENCE_OF_INITS)
    snprintf(
        text, size,
        " The fence of thread %u, at %s, is fence.mbarrier_init: it shows other threads that barriers are "
        "initialised, and nothing else.",
        thread, line);
  else if (k->culprit.kind == FENCE_OF_MEMORY)
    snprintf(
        text, size,
        " The fence of thread %u, at %s, orders ordinary accesses among each other: it is no proxy fence.",
        thread, line);
  else if (k->earlier == DEED_INIT)
    snprintf(
        text, size,
        " The fence of thread %u, at %s, is for the async proxy: threads of other blocks don't use that.",
        thread, line);
  else
    snprintf(text, size,
             " The proxy fence of thread %u, at %s, stands behind the initialisation of a barrier: it covers "
             "what comes before it.",
             thread, line);
}

// A wait for groups that doesn't wait for the one with this copy.
static void group_wait_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  const uint32_t thread = k->culprit.thread, newest = k->culprit.newest;
  const char *what = k->earlier == DEED_CP_ASYNC ? "copy" : "store";
  if (k->culprit.kind == WAIT_BEFORE_COMMIT)
    snprintf(
        text, size,
        " The wait of thread %u at %s covers the groups that were committed before it, and this %s's was "
        "not.",
        thread, line, what);
  else
    snprintf(
        text, size,
        " The wait of thread %u at %s came after this %s, and leaves the newest %u group%s: this %s is in "
        "%s.",
        thread, line, what, newest, newest == 1 ? "" : "s", what, newest == 1 ? "it" : "one of them");
}

// A fence that covers another address, another time or another thread's writes.
static void misplaced_fence_message(const struct conflict_facts *k, const char *line, char *text,
                                    size_t size) {
  const uint32_t thread = k->culprit.thread;
  switch (k->culprit.kind) {
  case MAP_FENCE_ELSEWHERE:
    snprintf(
        text, size,
        " The fence of thread %u, at %s, is for another address, %llu bytes %s this map: it covers the "
        "128 bytes that it is given.",
        thread, line,
        (unsigned long long)(k->culprit.bytes < 0 ? -(uint64_t)k->culprit.bytes : (uint64_t)k->culprit.bytes),
        k->culprit.bytes < 0 ? "before" : "behind");
    return;
  case INIT_FENCE_TOO_EARLY:
    snprintf(text, size,
             " Thread %u calls fence.mbarrier_init, at %s, but before this initialisation: it covers what "
             "comes before it.",
             thread, line);
    return;
  case INIT_FENCE_OF_OTHER:
    snprintf(text, size,
             " Thread %u calls fence.mbarrier_init, at %s, but it covers the initialisations of its own "
             "thread, and this one is thread %u's.",
             thread, line, k->earlier_thread);
    return;
  default: return;
  }
}

// A wait that is there, or an arrival, and why it doesn't help.
static void wait_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  const uint32_t thread = k->culprit.thread;
  switch (k->culprit.kind) {
  case FENCE_OF_INITS:
  case FENCE_OF_MEMORY:
  case FENCE_AFTER_INIT: other_fence_message(k, line, text, size); return;
  case MAP_FENCE_ELSEWHERE:
  case INIT_FENCE_TOO_EARLY:
  case INIT_FENCE_OF_OTHER: misplaced_fence_message(k, line, text, size); return;
  case WAIT_LEAVES_GROUP:
  case WAIT_BEFORE_COMMIT: group_wait_message(k, line, text, size); return;
  case WAIT_OF_OTHER: other_waits_message(k, line, text, size); return;
  case WAIT_ONLY_READS: snprintf(text, size, " It is that of thread %u at %s.", thread, line); return;
  case WAIT_NOT_PASSED_ON:
    snprintf(text, size, " Thread %u has waited for it, at %s, but nothing has told thread %u since.", thread,
             line, k->later_thread);
    return;
  case WAIT_RELAXED:
    snprintf(
        text, size,
        " The wait of thread %u at %s has seen the phase complete, but is .relaxed: it acquires nothing.",
        thread, line);
    return;
  case BARRIER_NOT_AWAITED:
    snprintf(text, size,
             " Thread %u comes to a barrier of the block at %s by bar.arrive: it goes on at once.", thread,
             line);
    return;
  case ARRIVAL_TOO_EARLY: early_arrival_message(k, line, text, size); return;
  case TILE_GIVEN_BACK: giver_message(k, line, text, size); return;
  case ARRIVAL_OF_WARP: arrival_of_warp_message(k, line, text, size); return;
  case ARRIVAL_RELAXED:
    snprintf(text, size, " The arrival of thread %u at %s is .relaxed: it hands over nothing.", thread, line);
    return;
  case ARRIVAL_IN_OWN_BLOCK: own_arrival_message(k, line, text, size); return;
  case ARRIVAL_NOT_AWAITED: not_awaited_message(k, line, text, size); return;
  case FLAG_RELAXED:
    snprintf(text, size,
             " Thread %u then writes a flag, at %s, and the warp of thread %u has read that. But the access "
             "is relaxed or volatile, and no fence stands between the two: it orders nothing but itself.",
             thread, line, k->later_thread);
    return;
  default: return;
  }
}

static void cluster_message(const struct conflict_facts *k, const char *line, char *text, size_t size) {
  if (k->culprit.kind == CLUSTER_NOT_AWAITED)
    snprintf(
        text, size,
        " Thread %u has arrived at the cluster's barrier, at %s, and has not waited there since: nothing "
        "holds it back until the other blocks have come.",
        k->culprit.thread, line);
  else
    snprintf(text, size,
             " The kernel ends in a barrier of the cluster, and at %s a branch leads out of the kernel "
             "without it: who takes it counts there as arrived.",
             line);
}

void culprit_message(const struct conflict_facts *k, char *text, size_t size) {
  const uint32_t thread = k->culprit.thread;
  char line[192];
  place_line_words(k->culprit.at, k->file, line, sizeof line);
  switch (k->culprit.kind) {
  case FENCE_TOO_EARLY:
    snprintf(text, size,
             "Thread %u calls a proxy fence, at %s, but before %s: a fence covers what comes "
             "before it.",
             thread, line,
             k->earlier == DEED_CP_ASYNC ? "the wait for this copy, which is written only then"
                                         : "this write");
    return;
  case FENCE_TOO_LATE:
    snprintf(text, size,
             "Thread %u calls a proxy fence, at %s, but the %s doesn't wait for it: nothing orders the "
             "fence before the %s.",
             thread, line, culprit_copy(k), culprit_copy(k));
    return;
  case FENCE_OF_OWN_BLOCK:
    snprintf(
        text, size,
        "Thread %u, which issues the copy, calls a proxy fence of .shared::cta, at %s: it covers the shared "
        "memory of its own block, and the write is another block's, into that block's memory. There "
        "fence.proxy.async.shared::cluster is needed, or a fence in the thread that wrote.",
        thread, line);
    return;
  case FENCE_BEFORE_MEETING:
    snprintf(text, size,
             "Thread %u, which issues the %s, calls a proxy fence, at %s, but before it has met thread "
             "%u: a fence covers its own writes, and those that it has seen by then.",
             thread, culprit_copy(k), line, k->earlier_thread);
    return;
  case FENCE_OF_OTHER:
    snprintf(text, size,
             "A proxy fence is called by thread %u, at %s, and does nothing for this %s: it helps in "
             "the thread that writes, before the synchronisation, or in the one that issues the %s, after "
             "it.",
             thread, line, culprit_copy(k), culprit_copy(k));
    return;
  case FENCE_OF_GLOBAL:
    snprintf(text, size,
             "The proxy fence of thread %u, at %s, is for global memory alone, and these bytes are shared "
             "memory.",
             thread, line);
    return;
  case CLUSTER_NOT_AWAITED:
  case CLUSTER_LEFT_EARLY: cluster_message(k, line, text, size); return;
  default: wait_message(k, line, text, size);
  }
}

void cluster_culprit_remedy(const struct conflict_facts *k, struct fault *fault) {
  if (k->culprit.kind == CLUSTER_NOT_AWAITED)
    snprintf(fault->remedy, sizeof fault->remedy,
             "Let cluster_wait() (barrier_wait() of cooperative groups) follow that arrival in the same "
             "threads, before another block's memory or barriers are used.");
  else
    snprintf(
        fault->remedy, sizeof fault->remedy,
        "Let nobody of the cluster's blocks leave by that branch: go on to the barrier of the cluster at "
        "the end, and skip only the work. Or, before it, let the block wait for this thread's arrival.");
  fault->edit = (int)fault->related_count;
}
