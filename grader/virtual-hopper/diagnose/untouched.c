// Explains why no thread can go on, for cases where no barrier has counts that show the reason. In: which
// threads wait where for what. Out: the likeliest cause, in words. One idea: among the barriers on which
// nothing has happened, the likeliest cause is the one that was never used. The events on the other barriers
// show what the program intended.
#include <string.h>

#include "virtual-hopper/async/mbarrier-fault.h"
#include "virtual-hopper/diagnose/internal.h"
#include "virtual-hopper/execute/flow.h"
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

// Two groups that wait for the same barrier, or in the same line for those of two blocks.
static bool waits_alike(const struct waiting_group *one, const struct waiting_group *other) {
  return one->object == other->object || (one->op == other->op && one->block != other->block);
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
    if (!m || (found && (suspicion_of(m) < most || waits_alike(found, g)))) continue;
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
    machine_place(&barrier, at->block, at->op, stuck_first_thread(at));
    machine_place(&elsewhere, out->block, out->op, stuck_first_thread(out));
    const struct stuck_facts facts = {.cause = STUCK_OUT_OF_REACH,
                                      .threads = stuck_threads_of(out),
                                      .line = elsewhere.line,
                                      .barrier_line = barrier.line};
    stuck_words(&facts, f);
    f->edit = number_of(survey, at);
    return true;
  }
  return false;
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
  // In a ring, where a stage has been through an earlier phase, the wait for this one is yet to come.
  const bool turns = m->phase > 1 && mbarrier_have_one_init(m, o->waited);
  if (!m->observed && !turns && !o->unseen) o->unseen = m;
  if (m->last_copy_by != o->waited->last_copy_by && m->phase > (o->ahead ? o->ahead : o->waited)->phase)
    o->ahead = m;
}

// Whether the kernel, or a function that it calls, has a copy that completes on an mbarrier, or is given a
// tensor map: then a load is what it lacks.
static bool may_load(const struct launch *l) {
  enum { ALIGNMENT_OF_MAP = 64 }; // of CUtensorMap, and of what holds one
  const struct function *kernel = l->function;
  for (uint32_t i = 0; kernel->source && i < kernel->source->parameter_count; i++)
    if (kernel->source->parameters[i].alignment >= ALIGNMENT_OF_MAP) return true;
  for (uint32_t i = 0; i < kernel->op_count; i++) {
    const struct ptx_instruction *in = kernel->ops[i].source;
    if (kernel->ops[i].execute == flow_call) return true;
    if (in && (ptx_has_modifier(in, "mbarrier::complete_tx::bytes") || ptx_has_modifier(in, "complete_tx")))
      return true;
  }
  return false;
}

// A wait for the first phase: the program meant another barrier, or no load was started, or arrivals are
// missing.
static void state_first_phase(const struct others *o, const struct block *owner, struct stuck_facts *facts) {
  facts->cause = o->unseen ? STUCK_LOADS_ELSEWHERE : STUCK_NO_FIRST_LOAD;
  facts->arrivals_alone = !may_load(owner->launch);
  if (o->unseen)
    shared_name_barrier(owner->launch, o->unseen->offset, facts->other_name, sizeof facts->other_name);
}

// A wait for a later phase. The places of the last loads go into `more`.
static void state_next_phase(const struct others *o, const struct block *owner, struct stuck_facts *facts,
                             struct fault *more) {
  const struct mbarrier *m = o->waited;
  char role[160], other[STUCK_NAME];
  facts->cause = STUCK_NO_NEXT_LOAD;
  facts->none_loads = m->last_copy_by && !o->ahead;
  facts->arrivals_alone = !m->last_copy_by && (m->expected_arrivals > 1 || !may_load(owner->launch));
  if (!m->last_copy_by) return;
  stuck_load_role(false, facts->name, role, sizeof role);
  fault_add_related(more, m->last_copy_block, m->last_copy_by, m->last_copy_thread, role);
  if (!o->ahead) return;
  shared_name_barrier(owner->launch, o->ahead->offset, other, sizeof other);
  stuck_load_role(true, other, role, sizeof role);
  fault_add_related(more, o->ahead->last_copy_block, o->ahead->last_copy_by, o->ahead->last_copy_thread,
                    role);
  more->edit = 2;
}

static void state_no_load(struct block *owner, const struct mbarrier *m, struct stuck_facts *facts,
                          struct fault *more) {
  struct others o = {.waited = m};
  mbarrier_each(owner, look_at_other, &o);
  if (m->phase == 0)
    state_first_phase(&o, owner, facts);
  else
    state_next_phase(&o, owner, facts, more);
}

// The line that initialises the barrier. In dynamic shared memory it has no name but that line's.
static void state_init(const struct block *owner, const struct mbarrier *m, struct stuck_facts *facts) {
  struct fault_place place = {0};
  if (m->initialised_by) machine_place(&place, owner, m->initialised_by, m->initialised_thread);
  facts->init = place_line(&place);
  if (facts->init.caller)
    facts->init = (struct source_line){.line = facts->init.caller, .file = facts->init.caller_file};
}

bool stuck_waits_in_pipeline(const struct waiting_group *g) {
  struct fault_place place = {0};
  machine_place(&place, g->block, g->op, stuck_first_thread(g));
  return fault_is_within(&place, "/cuda/pipeline");
}

// The thread that loads waits in the group `empty`, and those that read in `full`.
static void state_left_out(const struct survey *survey, const struct waiting_group *full,
                           const struct waiting_group *empty, struct stuck_facts *facts, struct fault *more) {
  struct block *owner;
  char role[160];
  const struct mbarrier *e = stuck_barrier(empty, &owner), *m = stuck_barrier(full, &owner);
  facts->cause = STUCK_LEFT_OUT_LOAD;
  facts->threads = stuck_threads_of(empty);
  facts->phase = m->phase;
  shared_name_barrier(survey->launch, m->offset, facts->name, sizeof facts->name);
  shared_name_barrier(survey->launch, e->offset, facts->other_name, sizeof facts->other_name);
  stuck_load_role(false, facts->name, role, sizeof role);
  fault_add_related(more, m->last_copy_block, m->last_copy_by, m->last_copy_thread, role);
  more->edit = 1;
}

static void find_left_out(const struct survey *survey, struct stuck_facts *facts, struct fault *more) {
  for (uint32_t i = 0; i < survey->count; i++)
    for (uint32_t k = 0; k < survey->count; k++) {
      if (!stuck_left_out_load(&survey->groups[i], &survey->groups[k])) continue;
      state_left_out(survey, &survey->groups[i], &survey->groups[k], facts, more);
      return;
    }
}

// Decides on the cause for the group `g`, which waits for the barrier `m`. `alike`: another group that waits
// for an equally likely barrier.
static void state_cause(const struct survey *survey, const struct waiting_group *g,
                        const struct waiting_group *alike, struct stuck_facts *facts, struct fault *f,
                        struct fault *more) {
  const struct waiting_group *other = another_group(survey, g);
  struct block *owner;
  const struct mbarrier *m = untouched(g, &owner);
  facts->threads = stuck_threads_of(g);
  facts->thread_count = g->thread_count;
  facts->expected_arrivals = m->expected_arrivals;
  facts->phase = m->phase;
  state_init(owner, m, facts);
  stuck_find_signaller(survey, owner, m, &facts->signaller);
  struct fault_place first = {0};
  machine_place(&first, survey->groups[0].block, survey->groups[0].op,
                stuck_first_thread(&survey->groups[0]));
  facts->file = first.file;
  facts->of_pipeline = stuck_waits_in_pipeline(g);
  shared_name_barrier(survey->launch, m->offset, facts->name, sizeof facts->name);
  f->edit = number_of(survey, g);
  if (suspicion_of(m) == NEVER_ARRIVED && other) {
    // The readers of a buffer never arrive on the barrier that says it is empty.
    facts->cause = STUCK_NEVER_ARRIVED;
    f->edit = number_of(survey, other);
  } else if (suspicion_of(m) == NEVER_USED && alike) {
    // Two groups wait for two barriers. The threads that wait for this barrier should start the work that
    // completes the other one.
    facts->cause = STUCK_FIRST_WAIT;
  } else if (alike) {
    facts->cause = STUCK_CIRCLE;
    find_left_out(survey, facts, more);
    const struct waiting_group *broken =
        facts->cause == STUCK_CIRCLE ? stuck_break_circle(survey, facts, more) : NULL;
    if (broken) f->edit = number_of(survey, broken);
  } else {
    state_no_load(owner, m, facts, more);
  }
}

// Threads at a barrier of their block, while others of the block wait at the cluster's; NULL: there are none.
static const struct waiting_group *kept_from_cluster(const struct survey *survey) {
  for (uint32_t i = 0; i < survey->count; i++)
    for (uint32_t k = 0; k < survey->count; k++)
      if (survey->groups[i].reason == WAIT_CLUSTER_BARRIER && survey->groups[k].reason == WAIT_CTA_BARRIER &&
          survey->groups[i].block == survey->groups[k].block)
        return &survey->groups[k];
  return NULL;
}

void stuck_explain_untouched(const struct survey *survey, struct fault *f, struct fault *more) {
  const struct waiting_group *alike, *g = most_suspect(survey, &alike);
  struct stuck_facts facts = {.cause = STUCK_UNCLEAR};
  const struct waiting_group *kept = g ? NULL : kept_from_cluster(survey);
  if (g) state_cause(survey, g, alike, &facts, f, more);
  if (kept) {
    facts.cause = STUCK_CLUSTER_BARRIER;
    facts.threads = stuck_threads_of(kept);
  }
  stuck_words(&facts, f);
}
