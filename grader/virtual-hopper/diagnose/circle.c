// Threads that wait for each other in a circle, each for what comes after another one's wait. In: the groups
// of a hang, none of whose barriers shows anything in its running phase. Out: the barrier whose turn was left
// out, if one was. One idea: the barriers of a ring go through their phases in turn, so one that is behind
// the others was passed by, and so was one whose signaller has ended.
#include "virtual-hopper/async/mbarrier-fault.h"
#include "virtual-hopper/diagnose/internal.h"
#include "virtual-hopper/machine/shared-name.h"

struct search {
  const struct launch *launch;
  const struct mbarrier *waited;
  const struct mbarrier *ahead; // of its array: has been through turns that it has not
};

static bool only_arrivals(const struct mbarrier *m) {
  return m->last_arrive_by && !m->last_copy_by && !m->last_expect_by;
}

// Stage by stage, a barrier has had as many phases as those behind it in its array, or one more.
static void look(struct mbarrier *m, void *context) {
  struct search *s = context;
  if (m == s->waited || !only_arrivals(m) || !mbarrier_of_one_array(s->launch, m, s->waited)) return;
  const uint64_t lead = m->offset < s->waited->offset ? 1 : 0;
  if (m->phase > s->waited->phase + lead && (!s->ahead || m->phase > s->ahead->phase)) s->ahead = m;
}

static void name(const struct survey *survey, const struct mbarrier *m, char *text) {
  shared_name_barrier(survey->launch, m->offset, text, STUCK_NAME);
}

static void state_barrier(const struct survey *survey, const struct waiting_group *g,
                          const struct mbarrier *m, struct stuck_facts *facts) {
  facts->threads = stuck_threads_of(g);
  facts->expected_arrivals = m->expected_arrivals;
  facts->phase = m->phase;
  name(survey, m, facts->name);
}

// Whoever signalled the barrier the last time has ended since.
static bool has_ended(const struct survey *survey, const struct waiting_group *g, struct block *owner,
                      const struct mbarrier *m, struct stuck_facts *facts) {
  struct stuck_signaller s = {0};
  stuck_find_signaller(survey, owner, m, &s);
  if (!s.known || *s.on || !s.ended) return false;
  state_barrier(survey, g, m, facts);
  facts->cause = STUCK_NO_NEXT_LOAD;
  facts->arrivals_alone = only_arrivals(m);
  facts->signaller = s;
  return true;
}

static bool is_behind(const struct survey *survey, const struct waiting_group *g, struct block *owner,
                      const struct mbarrier *m, struct stuck_facts *facts, struct fault *more) {
  struct search search = {.launch = survey->launch, .waited = m};
  char role[160];
  if (!only_arrivals(m)) return false;
  mbarrier_each(owner, look, &search);
  const struct mbarrier *ahead = search.ahead;
  if (!ahead) return false;
  state_barrier(survey, g, m, facts);
  facts->cause = STUCK_LEFT_OUT_ARRIVAL;
  facts->other_phase = ahead->phase;
  name(survey, ahead, facts->other_name);
  stuck_arrival_role(facts->other_name, role, sizeof role);
  fault_add_related(more, ahead->last_arrive_block ? ahead->last_arrive_block : owner, ahead->last_arrive_by,
                    ahead->last_arrive_thread, role);
  more->edit = (int)more->related_count;
  return true;
}

const struct waiting_group *stuck_break_circle(const struct survey *survey, struct stuck_facts *facts,
                                               struct fault *more) {
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < survey->count; i++) {
      const struct waiting_group *g = &survey->groups[i];
      struct block *owner;
      const struct mbarrier *m = g->reason == WAIT_MBARRIER ? stuck_barrier(g, &owner) : NULL;
      if (!m || m->phase == 0 || m->arrivals > 0 || m->expected_bytes > 0 || m->completed_bytes > 0) continue;
      if (pass == 0 ? is_behind(survey, g, owner, m, facts, more) : has_ended(survey, g, owner, m, facts))
        return g;
    }
  return NULL;
}
