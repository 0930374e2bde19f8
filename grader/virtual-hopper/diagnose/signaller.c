// Who should have signalled an mbarrier for which threads wait. In: a barrier on which nothing has happened,
// and the groups of a hang. Out: the thread that signalled it the last time, or another barrier of its array,
// and what that thread does now; or arrivals on a barrier for which nobody waits. One idea: the program has
// shown by what it did before who signals this barrier.
#include "virtual-hopper/async/mbarrier-fault.h"
#include "virtual-hopper/diagnose/internal.h"
#include "virtual-hopper/machine/shared-name.h"

struct search {
  const struct launch *launch;
  const struct mbarrier *waited;
  const struct mbarrier *found; // itself, or one of its array: the one with the most phases
  const struct mbarrier *stray; // has arrivals, and nobody has ever waited for it
};

static bool is_signalled(const struct mbarrier *m) {
  return m->last_copy_by || m->last_arrive_by;
}

static void look(struct mbarrier *m, void *context) {
  struct search *s = context;
  if (!is_signalled(m)) return;
  if (m != s->waited && !mbarrier_of_one_array(s->launch, m, s->waited)) {
    if (!m->asked_by && !m->last_copy_by && m->last_arrive_by && !s->stray) s->stray = m;
    return;
  }
  if (s->found != s->waited && (m == s->waited || !s->found || m->phase > s->found->phase)) s->found = m;
}

// The group of this thread; NULL: it has ended, or is in none.
static const struct waiting_group *group_of(const struct survey *survey, const struct block *b,
                                            uint32_t thread) {
  for (uint32_t i = 0; i < survey->count; i++) {
    const struct waiting_group *g = &survey->groups[i];
    if (g->block == b && (g->threads[thread / 8] >> thread % 8 & 1)) return g;
  }
  return NULL;
}

static bool has_ended(const struct block *b, uint32_t thread) {
  return !(b->warps[thread / WARP_LANES].alive >> thread % WARP_LANES & 1);
}

static void state_thread(const struct survey *survey, const struct block *b, const struct op *op,
                         uint32_t thread, struct stuck_signaller *s) {
  struct fault_place place = {0}, now = {0};
  const struct waiting_group *g = group_of(survey, b, thread);
  machine_place(&place, b, op, thread);
  s->thread = thread;
  s->block_rank = b->rank;
  s->line = place_line(&place);
  s->ended = has_ended(b, thread);
  if (!g) return;
  machine_place(&now, b, g->op, thread);
  s->waits = place_line(&now);
}

void stuck_find_signaller(const struct survey *survey, struct block *owner, const struct mbarrier *m,
                          struct stuck_signaller *s) {
  struct search search = {.launch = owner->launch, .waited = m};
  mbarrier_each(owner, look, &search);
  if (search.stray) {
    struct fault_place place = {0};
    shared_name_barrier(owner->launch, search.stray->offset, s->stray, sizeof s->stray);
    machine_place(&place, search.stray->last_arrive_block ? search.stray->last_arrive_block : owner,
                  search.stray->last_arrive_by, search.stray->last_arrive_thread);
    s->stray_line = place_line(&place);
  }
  const struct mbarrier *found = search.found;
  if (!found) return;
  s->known = true;
  s->loads = found->last_copy_by != NULL;
  s->other_block = (s->loads ? found->last_copy_block : found->last_arrive_block) != owner;
  if (found != m) shared_name_barrier(owner->launch, found->offset, s->on, sizeof s->on);
  if (s->loads)
    state_thread(survey, found->last_copy_block, found->last_copy_by, found->last_copy_thread, s);
  else
    state_thread(survey, found->last_arrive_block ? found->last_arrive_block : owner, found->last_arrive_by,
                 found->last_arrive_thread, s);
}

// Both barriers of a stage have had as many phases, and the load that should follow the last phase of the
// empty one has not come, though the thread that loads has seen that phase: it waits for the next one.
bool stuck_left_out_load(const struct waiting_group *full, const struct waiting_group *empty) {
  struct block *owner, *other;
  if (full->reason != WAIT_MBARRIER || empty->reason != WAIT_MBARRIER) return false;
  const struct mbarrier *f = stuck_barrier(full, &owner), *e = stuck_barrier(empty, &other);
  return f && e && owner == other && f->phase == e->phase && f->phase > 0 && f->last_copy_by &&
         !e->last_copy_by && e->observed && f->last_copy_block == empty->block &&
         (empty->threads[f->last_copy_thread / 8] >> f->last_copy_thread % 8 & 1);
}
