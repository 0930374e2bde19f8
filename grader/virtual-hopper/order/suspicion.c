// Races that a wait is to blame for: one that returned at once because its phase was known to be complete (a
// stale wait), or one that returned false, whose thread went on all the same (a refused one). In: two deeds
// that nothing orders. Out: the fault of the wait, if there is one. One idea: the wait is to blame if the
// other thread hands the bytes over on the same barrier. So once that thread's arrival publishes its access,
// the wait's fault is recorded beside the race, which it explains.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/order/internal.h"

static bool is_of_agent(const struct mbarrier *m, uint32_t agent) {
  return m && m->live && m->order && m->order->agent == agent;
}

static void compare_agent(struct mbarrier *m, void *context) {
  struct agent_barrier *search = context;
  if (is_of_agent(m, search->agent)) search->barrier = m;
}

struct agent_barrier order_barrier_of(struct order_cluster *c, uint32_t agent) {
  struct agent_barrier *last = &c->found[agent % BARRIERS_FOUND];
  if (last->agent == agent && is_of_agent(last->barrier, agent)) return *last;
  struct agent_barrier search = {.agent = agent};
  for (uint32_t i = 0; i < c->cluster->block_count && !search.barrier; i++) {
    search.block = c->cluster->blocks[i];
    if (search.block->order) mbarrier_each(search.block, compare_agent, &search);
  }
  return *last = search;
}

// NULL: the barrier has been invalidated since.
static const struct mbarrier *barrier_of_agent(struct order_cluster *c, uint32_t agent) {
  return order_barrier_of(c, agent).barrier;
}

// True when a wait for the barrier's running phase, or for the one before, shows the access of agent `other`.
static bool publishes(const struct order_mbarrier *o, uint32_t other, uint32_t epoch) {
  return (other < o->gather.capacity && o->gather.seen[other] >= epoch) ||
         clock_seen(o->completed, other) >= epoch;
}

// "barrier" when it is not known which one.
static void name_barrier(const struct order_cluster *c, const struct mbarrier *m, char name[CONFLICT_NAME]) {
  snprintf(name, CONFLICT_NAME, "barrier");
  if (m) shared_name_barrier(c->launch->launch, m->offset, name, CONFLICT_NAME);
}

static struct source_line line_of(const struct deed *deed) {
  struct fault_place place = {0};
  machine_place(&place, deed->block, deed->op, deed->thread);
  return place_line(&place);
}

void order_name_two_loads(struct order_cluster *c, struct conflict_facts *facts, uint32_t earlier,
                          uint32_t later) {
  const struct mbarrier *first = barrier_of_agent(c, earlier), *second = barrier_of_agent(c, later);
  if (!first || !second || first == second) return;
  name_barrier(c, first, facts->barrier);
  name_barrier(c, second, facts->other_barrier);
}

// A lane that waits for the running phase of a barrier; false: none does now.
static bool somebody_waits(const struct mbarrier *m, struct block *b, struct load_wait *wait) {
  const uint64_t address = (uint64_t)b->rank << SHARED_RANK_SHIFT | m->offset;
  for (uint32_t i = 0; i < b->warp_count; i++)
    for (uint32_t n = 0; n < b->warps[i].split_count; n++) {
      const struct split *s = &b->warps[i].splits[n];
      if (s->wait != WAIT_MBARRIER || s->wait_object != address || (s->wait_detail ^ m->phase) & 1) continue;
      wait->deed.op = &s->frame->function->ops[s->pc];
      wait->deed.thread = warp_thread(&b->warps[i], (uint32_t)__builtin_ctz(s->lanes));
      return true;
    }
  return false;
}

struct load_wait order_load_wait(struct order_cluster *c, uint32_t load, uint32_t epoch) {
  const struct agent_barrier search = order_barrier_of(c, load);
  struct load_wait wait = {.barrier = search.barrier ? search.barrier->order : NULL,
                           .deed.block = search.block};
  if (!wait.barrier) return wait;
  if (wait.barrier->news_phases >= epoch) {
    wait.deed.op = wait.barrier->news_wait;
    wait.deed.thread = wait.barrier->news_thread;
  } else if (search.barrier->phase + 1 == epoch) {
    somebody_waits(search.barrier, search.block, &wait);
  }
  return wait;
}

// The thread has seen a phase of the load's barrier, and the load completes a later one.
static void note_earlier_phase(struct order_cluster *c, struct conflict_facts *facts, uint32_t thread,
                               const struct load_deed *load) {
  const struct order_thread *t = order_view_at(c, thread);
  if (t->stale_wait || t->refused_wait || clock_seen(t->base, load->agent) + 1 != load->epoch) return;
  const struct deed wait = order_thread_deed(c, thread, t->last_wait);
  facts->last_wait_at = line_of(&wait);
  facts->earlier_phase = true;
  facts->load_phase = load->epoch - 1;
}

bool order_name_load(struct order_cluster *c, struct conflict_facts *facts, uint32_t thread,
                     const struct load_deed *load) {
  const struct order_thread *t = order_view_at(c, thread);
  const struct mbarrier *loaded = barrier_of_agent(c, load->agent);
  if (!loaded) return false;
  name_barrier(c, loaded, facts->barrier);
  if (t->last_wait && t->last_agent == load->agent) note_earlier_phase(c, facts, thread, load);
  const struct mbarrier *waited =
      t->last_wait && t->last_agent != load->agent ? barrier_of_agent(c, t->last_agent) : NULL;
  if (!waited) return false;
  const struct deed wait = order_thread_deed(c, thread, t->last_wait);
  facts->last_wait_at = line_of(&wait);
  facts->one_init = mbarrier_have_one_init(loaded, waited);
  name_barrier(c, waited, facts->other_barrier);
  return true;
}

bool order_name_bare_phase(struct order_cluster *c, struct conflict *k, uint32_t thread, uint32_t load) {
  const struct order_thread *t = order_view_at(c, thread);
  const struct mbarrier *m = t->last_wait && t->last_agent == load ? barrier_of_agent(c, load) : NULL;
  if (!m || !m->order->bare_phases || clock_seen(t->base, load) != m->order->bare_phases) return false;
  struct deed deed = order_thread_deed(c, thread, t->last_wait);
  k->facts.last_wait_at = line_of(&deed);
  deed.op = m->order->bare_arrival;
  if (deed.op) k->facts.arrival_at = line_of(&deed);
  k->facts.bare_phase = m->order->bare_phases;
  name_barrier(c, m, k->facts.barrier);
  return true;
}

void order_name_loader_wait(struct order_cluster *c, struct conflict_facts *facts, uint32_t thread,
                            uint32_t load) {
  const struct order_thread *t = order_view_at(c, thread);
  const bool waited = t->last_wait && !t->stale_wait && !t->refused_wait && t->last_agent != load;
  const struct mbarrier *m = waited ? barrier_of_agent(c, t->last_agent) : NULL;
  if (!m || !m->phase) return;
  const struct deed wait = order_thread_deed(c, thread, t->last_wait);
  facts->last_wait_at = line_of(&wait);
  facts->other_count = m->expected_arrivals;
  name_barrier(c, m, facts->other_barrier);
}

struct stale_wait order_stale_wait(struct order_cluster *c, uint32_t thread) {
  const struct order_thread *t = order_view_at(c, thread);
  const struct op *op = t->stale_wait;
  struct stale_wait wait = {.phases = t->stale_phases,
                            .by_token = op && op->source && !ptx_has_modifier(op->source, "parity")};
  name_barrier(c, barrier_of_agent(c, t->stale_agent), wait.barrier);
  return wait;
}

void order_blame_wait(struct order_cluster *c, struct conflict *k, enum conflict_kind kind, uint32_t thread) {
  k->facts.kind = kind;
  k->facts.earlier = DEED_WAIT;
  k->facts.stale = order_stale_wait(c, thread);
  k->earlier = order_thread_deed(c, thread, order_view_at(c, thread)->stale_wait);
}

void order_name_barrier(struct order_cluster *c, uint32_t agent, char name[CONFLICT_NAME]) {
  name_barrier(c, barrier_of_agent(c, agent), name);
}

void order_note_refused(struct actor later, struct conflict *k) {
  const struct order_thread *t = order_thread_of(later.w, later.lane);
  struct deed wait = order_actor_deed(later);
  wait.op = t->refused_wait;
  if (wait.op) k->facts.refused_at = line_of(&wait);
}

void order_blame_refused(struct order_cluster *c, struct conflict *k, uint32_t thread) {
  k->facts.kind = CONFLICT_REFUSED_WAIT_THEN_ACCESS;
  k->facts.earlier = DEED_WAIT;
  k->earlier = order_thread_deed(c, thread, order_view_at(c, thread)->refused_wait);
  order_name_barrier(c, order_view_at(c, thread)->refused_agent, k->facts.barrier);
}

void order_blame_arrival(struct order_cluster *c, struct conflict *k, uint32_t writer, uint32_t epoch,
                         uint32_t reader) {
  const struct order_thread *t = order_view_at(c, reader);
  const struct mbarrier *m = t->last_wait && !t->stale_wait ? barrier_of_agent(c, t->last_agent) : NULL;
  if (!m || !m->last_arrive_by || m->order->arrival_agent != writer + 1 || m->order->arrival_epoch > epoch)
    return;
  const struct deed arrival = {m->last_arrive_by, k->earlier.block, k->earlier.thread};
  k->facts.kind = CONFLICT_WRITE_AFTER_ARRIVAL;
  k->facts.arrival_at = line_of(&arrival);
  name_barrier(c, m, k->facts.barrier);
}

bool order_passed_stale_again(const struct order_thread *loader) {
  return loader->stale_wait && loader->stale_again;
}

// The wait's own fault, as a conflict made from the race. refused: the wait that returned false; NULL: a
// stale one is to blame.
static struct conflict accuse(struct order_cluster *c, const struct suspect *s, const struct conflict *race,
                              const struct mbarrier *barrier, const struct op *refused) {
  struct conflict k = *race;
  k.later = s->deed;
  k.facts.later = s->kind;
  k.facts.stale_wait_count = 0;
  k.facts.awaited_thread = s->other_thread;
  if (refused) {
    k.facts.kind = CONFLICT_REFUSED_WAIT_FOR_THREAD;
    k.facts.earlier = DEED_WAIT;
    k.earlier = order_thread_deed(c, s->agent - 1, refused);
    name_barrier(c, barrier, k.facts.barrier);
  } else {
    order_blame_wait(c, &k, CONFLICT_STALE_WAIT_FOR_THREAD, s->agent - 1);
  }
  return k;
}

static void remember(struct order_cluster *c, const struct suspicion *suspicion) {
  if (!c->suspicions) c->suspicions = calloc(MOST_SUSPICIONS, sizeof *c->suspicions);
  if (!c->suspicions) die("out of memory for the order engine");
  if (c->suspicion_count < MOST_SUSPICIONS) c->suspicions[c->suspicion_count++] = *suspicion;
}

// Accuses the wait once the barrier of `agent` has shown what the other thread did.
static void accuse_when_shown(struct order_cluster *c, const struct suspect *s, const struct conflict *race,
                              const struct mbarrier *barrier, const struct op *refused) {
  const struct suspicion suspicion = {.barrier = barrier->order->agent,
                                      .other = s->other,
                                      .epoch = s->other_epoch,
                                      .conflict = accuse(c, s, race, barrier, refused)};
  if (publishes(barrier->order, s->other, s->other_epoch))
    order_report(c->launch, &suspicion.conflict);
  else
    remember(c, &suspicion);
}

// Each phase of the barrier ends before all have arrived, and the other thread arrives there later.
static void suspect_count(struct order_cluster *c, const struct suspect *s, const struct conflict *race) {
  struct suspicion suspicion = {.other = s->other, .epoch = s->other_epoch, .conflict = *race};
  const struct mbarrier *barrier = order_suspect_crowd(c, &suspicion.conflict, s);
  if (!barrier) return;
  suspicion.barrier = barrier->order->agent;
  remember(c, &suspicion);
}

// The refused wait before the deed at `epoch`, and the agent of its barrier; NULL: there is none.
static const struct op *refused_before(const struct order_thread *t, uint32_t epoch, uint32_t *agent) {
  const bool last = t->refused_wait && t->refused_since <= epoch;
  *agent = last ? t->refused_agent : t->before_agent;
  if (last) return t->refused_wait;
  return t->before_wait && t->before_since <= epoch ? t->before_wait : NULL;
}

void order_suspect(struct order_cluster *c, const struct suspect *s, struct conflict *race) {
  const struct order_thread *t = order_view_at(c, s->agent - 1);
  uint32_t agent;
  const struct op *refused = refused_before(t, s->epoch, &agent);
  if (refused) {
    const struct mbarrier *asked = barrier_of_agent(c, agent);
    if (asked) accuse_when_shown(c, s, race, asked, refused);
    return;
  }
  // A thread that fills a stage rightly passes its empty barrier at once in the first round.
  bool excused = s->kind != DEED_READ && t->stale_phases == 0;
  if (!t->stale_wait && t->observed_epoch <= s->epoch) suspect_count(c, s, race);
  if (!t->stale_wait || t->stale_since > s->epoch || excused) return;
  const struct mbarrier *barrier = barrier_of_agent(c, t->stale_agent);
  if (!barrier) return;
  const struct deed wait = {t->stale_wait, s->deed.block, s->deed.thread};
  race->facts.stale_waits[race->facts.stale_wait_count].thread = s->deed.thread;
  race->facts.stale_waits[race->facts.stale_wait_count++].at = line_of(&wait);
  accuse_when_shown(c, s, race, barrier, NULL);
}

void order_suspicions_confirm(struct order_cluster *c, const struct order_mbarrier *o) {
  for (uint32_t i = 0; i < c->suspicion_count;) {
    struct suspicion *s = &c->suspicions[i];
    if (s->barrier != o->agent || !publishes(o, s->other, s->epoch)) {
      i++;
      continue;
    }
    order_report(c->launch, &s->conflict);
    *s = c->suspicions[--c->suspicion_count];
  }
}
