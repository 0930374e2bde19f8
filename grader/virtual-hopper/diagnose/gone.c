// Threads that have ended, and whose arrivals are missing. In: an mbarrier with some of its arrivals. Out:
// those threads, and the branch that led them out. One idea: a thread that has arrived on another barrier of
// the array, or in another phase, would have arrived here, too.
#include "virtual-hopper/async/mbarrier-fault.h"
#include "virtual-hopper/diagnose/internal.h"
#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/order/order.h"

static uint32_t lanes_of(const struct block *b, uint32_t warp) {
  const uint32_t threads = b->launch->threads_per_block, before = warp * WARP_LANES;
  return threads - before >= WARP_LANES ? UINT32_MAX : (1u << (threads - before)) - 1;
}

static uint32_t ended_lanes(const struct block *b, uint32_t warp) {
  return lanes_of(b, warp) & ~b->warps[warp].alive;
}

static void add_lanes(struct stuck_threads *t, uint32_t warp, uint32_t lanes) {
  for (uint32_t left = lanes; left; left &= left - 1) {
    const uint32_t thread = warp * WARP_LANES + (uint32_t)__builtin_ctz(left);
    const bool follows = t->ranges && t->last[t->ranges - 1] + 1 == thread;
    t->count++;
    if (follows) {
      t->last[t->ranges - 1] = thread;
    } else if (t->ranges < STUCK_RANGES) {
      t->first[t->ranges] = t->last[t->ranges] = thread;
      t->ranges++;
    }
  }
}

struct search {
  const struct block *block;
  const struct mbarrier *of, *found; // found: where the ended threads have arrived; NULL: nowhere
  struct stuck_threads threads;
};

static void look(struct mbarrier *m, void *context) {
  struct search *s = context;
  struct stuck_threads threads = {0};
  if (m != s->of && !mbarrier_of_one_array(s->block->launch, m, s->of)) return;
  for (uint32_t i = 0; i < s->block->warp_count; i++)
    add_lanes(&threads, i, order_mbarrier_missing(s->of, m, i) & ended_lanes(s->block, i));
  if (threads.count <= s->threads.count) return;
  s->threads = threads;
  s->found = m;
}

// All that have ended, if they are as many as the arrivals that are missing.
static struct stuck_threads as_many_as_missing(const struct block *b, const struct mbarrier *m) {
  struct stuck_threads threads = {0};
  for (uint32_t i = 0; i < b->warp_count; i++)
    add_lanes(&threads, i, ended_lanes(b, i));
  return threads.count == m->pending_arrivals ? threads : (struct stuck_threads){0};
}

bool stuck_explain_gone(const struct waiting_group *g, const struct block *owner, const struct mbarrier *m,
                        struct fault *f) {
  struct search s = {.block = owner, .of = m};
  struct stuck_gone gone = {.missing = m->pending_arrivals};
  if (m->pending_arrivals == 0 || m->arrivals == 0 || mbarrier_lacks_noinc(m)) return false;
  mbarrier_each((struct block *)(uintptr_t)owner, look, &s);
  gone.threads = s.found ? s.threads : as_many_as_missing(owner, m);
  if (!gone.threads.count) return false;
  if (s.found && s.found != m) shared_name_barrier(owner->launch, s.found->offset, gone.on, sizeof gone.on);
  gone.by_number = !s.found;
  const struct op *way = gone.by_number && g->block == owner ? reach_way_out(g->split->frame, g->op) : NULL;
  if (way) {
    fault_add_related(f, owner, way, gone.threads.first[0], "");
    gone.way_out = place_line(&f->related[f->related_count - 1].place);
    f->edit = (int)f->related_count;
  } else if (s.found) {
    f->edit = 1; // the arrival
  }
  stuck_gone_words(&gone, f);
  return true;
}
