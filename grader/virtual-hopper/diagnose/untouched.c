// Explains why no thread can go on, for cases where no barrier has counts that show the reason. In: which
// threads wait where for what. Out: the likeliest cause, in words. One idea: among the barriers on which
// nothing has happened, the likeliest cause is the one that was never used. The events on the other barriers
// show what the program intended.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/async/mbarrier-fault.h"
#include "virtual-hopper/diagnose/internal.h"
#include "virtual-hopper/machine/shared-name.h"

// Returns the barrier that a group waits for, if nothing has happened on it in the phase that the group waits
// for; otherwise NULL.
static const struct mbarrier *untouched(const struct waiting_group *g, struct block **owner) {
  const struct mbarrier *m = g->reason == WAIT_MBARRIER ? stuck_barrier(g, owner) : NULL;
  bool touched = !m || m->arrivals > 0 || m->expected_bytes > 0 || m->completed_bytes > 0;
  return touched ? NULL : m;
}

// How likely an untouched barrier is the cause, in ascending order. IN_USE: one of its phases has completed.
// NEVER_ARRIVED: a wait has passed before the first phase completed, but no thread has ever arrived.
// NEVER_USED: no thread has touched the barrier, and no wait has passed.
enum suspicion { IN_USE, NEVER_ARRIVED, NEVER_USED };

static enum suspicion suspicion_of(const struct mbarrier *m) {
  return m->phase > 0 ? IN_USE : m->passed_fresh ? NEVER_ARRIVED : NEVER_USED;
}

// Returns the group that waits for the likeliest barrier. When two groups are equally likely, returns the
// smaller one, because usually one thread fills a buffer and many threads drain it. `alike` receives the
// other group.
static const struct waiting_group *most_suspect(const struct survey *survey,
                                                const struct waiting_group **alike) {
  const struct waiting_group *found = NULL;
  enum suspicion most = IN_USE;
  *alike = NULL;
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    struct block *owner;
    const struct mbarrier *m = untouched(g, &owner);
    if (!m || (found && (suspicion_of(m) < most || found->object == g->object))) continue;
    bool same = found && suspicion_of(m) == most, smaller = same && g->thread_count < found->thread_count;
    *alike = !same ? NULL : smaller ? found : g;
    if (!same || smaller) found = g;
    most = suspicion_of(m);
  }
  return found;
}

static int number_of(const struct survey *survey, const struct waiting_group *g) {
  // the number of its place in the list of related places; 0: the place of the fault itself
  return (int)(g - survey->groups);
}

// Returns a group that does not wait for the same thing as `g`; NULL: all groups wait for the same thing.
static const struct waiting_group *another_group(const struct survey *survey, const struct waiting_group *g) {
  for (uint32_t i = 0; i < survey->count; i++)
    if (survey->groups[i].reason != g->reason || survey->groups[i].object != g->object)
      return &survey->groups[i];
  return NULL;
}

// ---- a barrier in a branch --------------------------------------------------------------------------------

// Returns a group that waits for an mbarrier and cannot reach the block's barrier, if the threads at the
// barrier would signal an mbarrier after it. NULL: no such group exists.
static const struct waiting_group *kept_out(const struct survey *survey, const struct waiting_group *at) {
  if (!reach_may_lead(at->split->frame, at->split->pc + 1, reach_is_signal, 0)) return NULL;
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    if (g->reason == WAIT_MBARRIER && g->block == at->block &&
        !reach_may_lead(g->split->frame, g->split->pc, reach_is_barrier, at->object))
      return g;
  }
  return NULL;
}

bool stuck_explain_branch(const struct survey *survey, struct fault *f) {
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *at = &survey->groups[i];
    bool whole_block = at->reason == WAIT_CTA_BARRIER && at->object < BLOCK_MAX_BARRIERS &&
                       at->block->barriers[at->object].expected_threads == 0;
    const struct waiting_group *out = whole_block ? kept_out(survey, at) : NULL;
    if (!out) continue;
    struct fault_place barrier = {0}, elsewhere = {0};
    char who[128];
    machine_place(&barrier, at->block, at->op, stuck_first_thread(at));
    machine_place(&elsewhere, out->block, out->op, stuck_first_thread(out));
    stuck_name_threads(out, who, sizeof who);
    who[0] = (char)(who[0] - 'a' + 'A');
    snprintf(
        f->message, sizeof f->message,
        "%s, at line %u, can't come to the barrier at line %u, whichever way the code goes from there; and "
        "that barrier, __syncthreads(), waits for every thread of the block.",
        who, elsewhere.line, barrier.line);
    snprintf(
        f->remedy, sizeof f->remedy,
        "Where only some threads come by, let only those meet: __syncwarp() in a warp, or an mbarrier that "
        "each of them arrives on. __syncthreads() belongs where all threads of the block reach it.");
    f->edit = number_of(survey, at);
    return true;
  }
  return false;
}

// ---- a barrier that no thread touches ---------------------------------------------------------------------

// The readers of a buffer never arrive on the barrier that says it is empty.
static void explain_never_arrived(struct fault *f, const struct waiting_group *g, const struct mbarrier *m,
                                  const char *name) {
  char who[128];
  stuck_name_threads(g, who, sizeof who);
  snprintf(f->message, sizeof f->message, "Nobody has ever arrived on the %s, for which %s wait%s.", name,
           who, g->thread_count == 1 ? "s" : "");
  snprintf(
      f->remedy, sizeof f->remedy,
      "It takes %u arrival%s. If it tells that a buffer is empty, its readers arrive on it after their last "
      "read: __syncwarp(), then arrive(bar) in one lane of each warp, or in as many threads as its count "
      "says.",
      m->expected_arrivals, m->expected_arrivals == 1 ? "" : "s");
}

// Two groups wait for two barriers. The threads that wait for this barrier should start the work that
// completes the other one.
static void explain_first_wait(struct fault *f, const struct waiting_group *g, const char *name) {
  char who[128];
  stuck_name_threads(g, who, sizeof who);
  snprintf(
      f->message, sizeof f->message,
      "Nothing has happened yet on the %s, for which %s wait%s, and the others wait for what comes after "
      "that.",
      name, who, g->thread_count == 1 ? "s" : "");
  snprintf(
      f->remedy, sizeof f->remedy,
      "If it tells that a buffer is empty, the first wait for it has to pass, since nobody has filled the "
      "buffer yet: ask for parity 1, which a fresh barrier answers at once: wait(&empty[stage], parity ^ "
      "1).");
}

// ---- what happened on the other barriers ------------------------------------------------------------------

struct others {
  const struct mbarrier *waited; // some thread waits for this barrier
  // a load has completed a phase of this barrier, and no thread has observed the phase
  const struct mbarrier *unseen;
  // a load from another instruction has completed a later phase of this barrier
  const struct mbarrier *ahead;
};

static void look_at_other(struct mbarrier *m, void *context) {
  struct others *o = context;
  if (m == o->waited || !m->last_copy_by || m->phase == 0) return;
  if (!m->observed && !o->unseen) o->unseen = m;
  if (m->last_copy_by != o->waited->last_copy_by && m->phase > (o->ahead ? o->ahead : o->waited)->phase)
    o->ahead = m;
}

// Explains a wait for the first phase: the program meant another barrier, or no load was started, or arrivals
// are missing.
static void explain_first_phase(struct fault *f, const struct others *o, const char *name,
                                const char *unseen) {
  const struct mbarrier *m = o->waited;
  char arrivals[32];
  snprintf(arrivals, sizeof arrivals, "%u arrival%s", m->expected_arrivals,
           m->expected_arrivals == 1 ? "" : "s");
  if (o->unseen) {
    snprintf(
        f->message, sizeof f->message,
        "Phase 0 of the %s, its first one, takes %s, and nobody has arrived. The loads complete on another "
        "one: a phase of the %s is complete, and no thread has seen it.",
        name, arrivals, unseen);
    snprintf(
        f->remedy, sizeof f->remedy,
        "Was the %s meant? Whoever reads a tile waits for the barrier that its load completes on; whoever "
        "loads the next tile over it waits for the one that the readers arrive on.",
        unseen);
    return;
  }
  snprintf(f->message, sizeof f->message,
           "For phase 0 of the %s, its first one, nobody has arrived and no load was ever started.", name);
  if (m->expected_arrivals == 1)
    snprintf(
        f->remedy, sizeof f->remedy,
        "Before anybody waits for it, one thread calls expect_bytes_and_arrive(bar, bytes) and starts the "
        "copy on this barrier; in a ring, for each stage.");
  else
    snprintf(
        f->remedy, sizeof f->remedy,
        "It takes %s: let so many threads arrive on it, as they can only if they don't wait for what comes "
        "after this; or is it another barrier that was meant here?",
        arrivals);
}

static void explain_no_load(struct fault *f, struct fault *more, struct block *owner,
                            const struct mbarrier *m, const char *name) {
  struct others o = {.waited = m};
  char other[128] = "";
  mbarrier_each(owner, look_at_other, &o);
  if (m->phase == 0) {
    if (o.unseen) shared_name_barrier(owner->launch, o.unseen->offset, other, sizeof other);
    explain_first_phase(f, &o, name, other);
    return;
  }
  snprintf(f->message, sizeof f->message,
           "For phase %llu of the %s, which has been in use before, nobody has arrived and no load was ever "
           "started.%s",
           (unsigned long long)m->phase, name,
           m->last_copy_by && !o.ahead ? " Nor has any other barrier got its next load." : "");
  snprintf(
      f->remedy, sizeof f->remedy,
      "Every turn needs its load: one thread calls expect_bytes_and_arrive(bar, bytes) and starts the copy, "
      "on the barrier of the very stage that is waited for next. Where the ring is filled again: does it "
      "happen before this wait, and for this stage?");
  if (!m->last_copy_by) return;
  fault_add_related(more, m->last_copy_block, m->last_copy_by, m->last_copy_thread,
                    "starts the last load on the %s", name);
  if (!o.ahead) return;
  shared_name_barrier(owner->launch, o.ahead->offset, other, sizeof other);
  fault_add_related(more, o.ahead->last_copy_block, o.ahead->last_copy_by, o.ahead->last_copy_thread,
                    "starts a later load, on the %s", other);
  more->edit = 2;
}

void stuck_explain_untouched(const struct survey *survey, struct fault *f, struct fault *more) {
  const struct waiting_group *alike, *g = most_suspect(survey, &alike),
                                     *other = g ? another_group(survey, g) : NULL;
  struct block *owner;
  char name[128];
  const struct mbarrier *m = g ? untouched(g, &owner) : NULL;
  if (!m) {
    snprintf(
        f->remedy, sizeof f->remedy,
        "Look at who is missing where others wait: threads that have left, that wait elsewhere, or whose "
        "branch doesn't come by.");
    return;
  }
  shared_name_barrier(survey->launch, m->offset, name, sizeof name);
  f->edit = number_of(survey, g);
  if (suspicion_of(m) == NEVER_ARRIVED && other) {
    explain_never_arrived(f, g, m, name);
    f->edit = number_of(survey, other);
  } else if (suspicion_of(m) == NEVER_USED && alike) {
    explain_first_wait(f, g, name);
  } else if (alike) {
    snprintf(
        f->remedy, sizeof f->remedy,
        "Each waits for what the others do next. Follow one stage: who arrives on each of its barriers in "
        "this phase, and does the parity asked for belong to it? It flips once for each phase of that "
        "barrier.");
  } else {
    explain_no_load(f, more, owner, m, name);
  }
}
