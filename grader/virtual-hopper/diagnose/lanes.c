// Lanes that wait for other lanes of their warp which never come. In: the groups of a hang. Out: a fault of
// the instruction at which they wait, unless it is right. One idea: lanes that wait for an mbarrier, and
// would come here afterwards, are held up by that wait.
#include <stdio.h>

#include "virtual-hopper/async/mbarrier.h"
#include "virtual-hopper/diagnose/internal.h"

// Adds the places of the absent lanes to the fault. Returns true when the first absent lanes also wait for
// lanes of the warp, but at another place.
static bool describe_absent(struct fault *f, const struct warp *w, uint32_t mask, uint32_t waiting) {
  bool wait = false;
  for (uint32_t n = 0; n < w->split_count && f->related_count < 3; n++) {
    const struct split *s = &w->splits[n];
    uint32_t absent = s->lanes & mask & ~waiting;
    if (!absent) continue;
    if (f->related_count == 0) wait = s->wait == WAIT_WARP_SYNC;
    struct fault_related *r = &f->related[f->related_count++];
    stuck_absent_role(absent, s->wait == WAIT_WARP_SYNC, r->role, sizeof r->role);
    machine_place(&r->place, w->block, stuck_standing_at(s), warp_thread(w, (uint32_t)__builtin_ctz(absent)));
    r->place.has_thread = false;
  }
  return wait;
}

// True when an mbarrier that some of these lanes wait for shows a cause of its own.
static bool barrier_shows_cause(const struct survey *survey, const struct warp *w, uint32_t lanes) {
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    if (g->reason != WAIT_MBARRIER || g->block != w->block) continue;
    bool ours = false;
    for (uint32_t left = lanes; left; left &= left - 1)
      ours |= stuck_has_thread(g, warp_thread(w, (uint32_t)__builtin_ctz(left)));
    struct block *owner;
    struct mbarrier *m = ours ? stuck_barrier(g, &owner) : NULL;
    struct fault f = {0};
    if (m && mbarrier_diagnose(owner, m, false, &f) && f.rule != RULE_DEADLOCK) return true;
  }
  return false;
}

// True when some have arrived on the barrier for which the absent lanes wait, and those who are missing there
// are fewer than the lanes that wait here: so they aren't these lanes.
static bool lacks_others(const struct survey *survey, const struct warp *w, uint32_t absent, uint32_t here) {
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    struct block *owner;
    if (g->reason != WAIT_MBARRIER || g->block != w->block) continue;
    for (uint32_t left = absent; left; left &= left - 1) {
      if (!stuck_has_thread(g, warp_thread(w, (uint32_t)__builtin_ctz(left)))) continue;
      const struct mbarrier *m = stuck_barrier(g, &owner);
      if (m && m->arrivals > 0 && m->pending_arrivals > 0 && m->pending_arrivals < here) return true;
    }
  }
  return false;
}

// Who has signalled a barrier, or one of its array, as far as is known.
struct signallers {
  const struct mbarrier *of;
  const struct warp *warp;
  uint32_t lanes; // of the warp
  bool known;     // somebody has
  bool these;     // one of the lanes has
};

static void note_signaller(struct signallers *s, const struct block *b, uint32_t thread) {
  s->known = true;
  s->these |=
      b == s->warp->block && thread / WARP_LANES == s->warp->index && (s->lanes >> thread % WARP_LANES & 1);
}

static void look_at_signallers(struct mbarrier *m, void *context) {
  struct signallers *s = context;
  if (m != s->of && !mbarrier_of_one_array(s->warp->launch, m, s->of)) return;
  if (m->last_arrive_by) note_signaller(s, m->last_arrive_block, m->last_arrive_thread);
  if (m->last_copy_by) note_signaller(s, m->last_copy_block, m->last_copy_thread);
}

// True when it is known who signals the barrier for which the absent lanes wait, and the lanes that wait here
// are not among them.
static bool others_signal(const struct survey *survey, const struct warp *w, uint32_t absent, uint32_t here) {
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    if (g->reason != WAIT_MBARRIER || g->block != w->block) continue;
    for (uint32_t left = absent; left; left &= left - 1) {
      if (!stuck_has_thread(g, warp_thread(w, (uint32_t)__builtin_ctz(left)))) continue;
      struct block *owner;
      struct signallers s = {.of = stuck_barrier(g, &owner), .warp = w, .lanes = here};
      if (s.of) mbarrier_each(owner, look_at_signallers, &s);
      return s.known && !s.these;
    }
  }
  return false;
}

// True when the absent lanes wait for a phase of an mbarrier, and would come to g's instruction afterwards:
// then their wait is to blame, and not this instruction. It is certain where every way leads here. Where one
// leads past, and the lanes that wait here are to signal something afterwards, the absent ones may wait for
// just that; but one lane alone, which waits for its warp, is believed where something else shows the cause.
static bool absent_are_held_up(const struct survey *survey, const struct waiting_group *g,
                               const struct warp *w, uint32_t absent, uint32_t waiting) {
  bool must_come = true;
  for (uint32_t n = 0; n < w->split_count; n++) {
    const struct split *s = &w->splits[n];
    if (!(s->lanes & absent)) continue;
    if (stuck_reason_of(s) != WAIT_MBARRIER ||
        !reach_may_lead(s->frame, s->pc, reach_is_op, (uint64_t)(uintptr_t)g->op))
      return false;
    must_come = must_come && reach_must_pass(s->frame, stuck_standing_at(s), g->op);
  }
  const bool is_shown = barrier_shows_cause(survey, w, absent) ||
                        lacks_others(survey, w, absent, (uint32_t)__builtin_popcount(waiting)) ||
                        others_signal(survey, w, absent, waiting);
  return must_come || (is_shown && __builtin_popcount(absent) == 1) ||
         !reach_may_lead(g->split->frame, g->split->pc, reach_is_signal, 0);
}

// Explains lanes that wait for other lanes of their warp which never come. Either the mask names too many
// lanes, or a branch keeps the other lanes away.
void stuck_explain_lanes(const struct survey *survey, const struct waiting_group *g) {
  uint32_t first = stuck_first_thread(g), mask = (uint32_t)g->object, waiting = 0;
  const struct warp *w = &g->block->warps[first / WARP_LANES];
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    if (stuck_has_thread(g, warp_thread(w, lane))) waiting |= 1u << lane;
  struct fault f = {.device_error = ERROR_LAUNCH_TIMEOUT};
  const struct stuck_lanes lanes = {
      .named = mask, .come = waiting, .never = mask & w->alive & ~waiting, .warp = w->index};
  if (lanes.never && absent_are_held_up(survey, g, w, lanes.never, waiting)) return;
  snprintf(f.kernel, sizeof f.kernel, "%s", survey->launch->function->name);
  stuck_lanes_words(&lanes, &f);
  bool absent_wait = describe_absent(&f, w, mask, waiting);
  machine_place(&f.place, g->block, g->op, first);
  // When the absent lanes wait at another place, the instruction that comes first is the one in the branch.
  // Otherwise the absent lanes have gone on, and the instruction in the branch is this one.
  if (absent_wait && f.related[0].place.line < f.place.line) f.edit = 1;
  fault_record(survey->launch->report, &f);
}
