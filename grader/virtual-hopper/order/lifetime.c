// The lives of blocks. In: copies into a block's shared memory or out of it, and other blocks' accesses to
// it, noted when they are issued. Out: conflicts, most of them when the cluster has ended. One idea: shared
// memory is its block's for as long as the block lives (PTX ISA 5.1.7). So whoever uses it must have seen
// that the block has begun, and a thread of the block must have seen the use before the block ends,
// whatever happened in this run.
#include <stdatomic.h>
#include <stdlib.h>

#include "virtual-hopper/machine/shared-name.h"
#include "virtual-hopper/order/internal.h"

// True when what the thread knows is part of what the barrier's running phase will publish.
static bool publishes(const struct gather *g, const struct clock *known) {
  if (!known || (g->any && g->last_base == known)) return true;
  for (uint32_t agent = 0; agent < known->count; agent++)
    if (known->seen[agent] > (g->any && agent < g->capacity ? g->seen[agent] : 0)) return false;
  return true;
}

// A copy hands nothing over for its thread, but it lands after what the thread has waited for. Who has not
// arrived on its barrier, or not since that wait, leaves an order that no clock shows.
static void note_issuer(struct order_mbarrier *o, struct actor by) {
  struct order_cluster *c = by.w->block->order->cluster;
  const uint32_t self = order_agent_of(by.w, by.lane);
  const struct clock *known = order_view_of(by.w, by.lane)->base;
  const uint32_t phases = clock_seen(known, o->agent);
  if (phases > o->known_to_copy) o->known_to_copy = phases;
  if (publishes(&o->gather, known)) return;
  if (o->open_issuer != NO_AGENT && o->open_issuer != self) c->hidden_orders = true;
  if (o->open_issuer == NO_AGENT) c->open_issues++;
  o->open_issuer = self;
}

void order_close_issue(struct order_cluster *c, struct order_mbarrier *o, uint32_t agent) {
  if (o->open_issuer == NO_AGENT || (agent != NO_AGENT && o->open_issuer != agent)) return;
  if (agent == NO_AGENT) c->hidden_orders = true; // the phase is complete without its arrival
  o->open_issuer = NO_AGENT;
  c->open_issues--;
}

void order_note_load(struct order_mbarrier *o, struct actor by, const struct async_copy *copy,
                     uint32_t epoch) {
  note_issuer(o, by);
  if (epoch < o->load.epoch) return;
  o->load.deed = order_actor_deed(by);
  o->load.epoch = epoch;
  o->load.bytes = copy->bytes;
}

static struct sent *sent_on(struct order_block *b, uint32_t agent) {
  for (uint32_t n = 0; n < b->sent_count; n++)
    if (b->sent[n].agent == agent) return &b->sent[n];
  if (b->sent_count == b->sent_room) {
    b->sent_room = b->sent_room ? 2 * b->sent_room : 8;
    b->sent = realloc(b->sent, b->sent_room * sizeof *b->sent);
    if (!b->sent) die("out of memory for the order engine");
  }
  return &b->sent[b->sent_count++];
}

void order_note_sent(struct actor by, const struct async_copy *copy, uint32_t agent, uint32_t epoch) {
  *sent_on(by.w->block->order, agent) = (struct sent){
      .agent = agent, .epoch = epoch, .op = by.op, .thread = actor_thread(by), .bytes = copy->bytes};
}

// Barriers of a block are waited for by its own threads only (PTX ISA 9.7.13.15.16), so the barrier itself
// knows which phases anybody has seen.
static void check_landed(struct mbarrier *m, void *context) {
  struct block *b = context;
  const struct order_mbarrier *o = m->order;
  if (!o || o->load.epoch <= o->news_phases) return;
  struct conflict k = {.facts = {.kind = CONFLICT_EXIT_BEFORE_LANDING,
                                 .later = DEED_LOAD,
                                 .distance = o->load.deed.block == b ? SAME_BLOCK : SAME_CLUSTER,
                                 .bytes = o->load.bytes},
                       .later = o->load.deed};
  shared_name_barrier(b->launch, m->offset, k.facts.barrier, sizeof k.facts.barrier);
  order_report(b->launch->order, &k);
}

// What the threads of a block had seen when they ended, all together.
static struct clock *last_views(const struct block *b) {
  const struct order_cluster *c = b->order->cluster;
  struct gather all = {0};
  for (uint32_t i = 0; i < c->threads_per_block; i++)
    gather_clock(&all, order_view_at(c, b->rank * c->threads_per_block + i)->base);
  struct clock *seen = gather_finish(&all);
  gather_free(&all);
  return seen;
}

static void check_sent(struct block *b) {
  const struct order_block *o = b->order;
  if (!o->sent_count) return;
  struct clock *seen = last_views(b);
  for (uint32_t n = 0; n < o->sent_count; n++) {
    if (clock_seen(seen, o->sent[n].agent) >= o->sent[n].epoch) continue;
    // Nobody waits for it where it lands: check_landed says so, and who mends that comes to know of it.
    const struct load_wait wait = order_load_wait(o->cluster, o->sent[n].agent, o->sent[n].epoch);
    if (wait.barrier && wait.barrier->news_phases < o->sent[n].epoch) continue;
    const struct conflict k = {
        .facts = {.kind = CONFLICT_EXIT_BEFORE_SENT, .later = DEED_CLUSTER_COPY, .bytes = o->sent[n].bytes},
        .later = {o->sent[n].op, b, o->sent[n].thread}};
    order_report(b->launch->order, &k);
  }
  clock_drop(seen);
}

// ---- other blocks' accesses -------------------------------------------------------------------------------

static void report_absent(struct block *owner, enum conflict_kind kind, enum deed_kind what,
                          const struct deed *deed) {
  const struct conflict k = {.facts = {.kind = kind, .later = what, .block_rank = owner->rank},
                             .later = *deed};
  order_report(owner->launch->order, &k);
}

void order_touch_block(struct actor by, struct block *owner, enum deed_kind what) {
  if (owner == by.w->block || !owner->order) return;
  struct order_cluster *c = owner->order->cluster;
  struct order_thread *t = order_thread_of(by.w, by.lane);
  const struct deed deed = order_actor_deed(by);
  if (!clock_seen(t->base, c->first_start_agent + owner->rank))
    report_absent(owner, CONFLICT_BLOCK_NOT_BEGUN, what, &deed);
  if (what == DEED_LOAD) return; // the block waits for its phase, or is reported for that
  struct order_block *o = owner->order;
  if (!o->accesses) o->accesses = calloc(c->threads, sizeof *o->accesses);
  if (!o->accesses) die("out of memory for the order engine");
  t->dirty = true; // this epoch is released with the access
  o->accesses[order_agent_of(by.w, by.lane) - 1] =
      (struct peer_access){.op = by.op, .epoch = t->epoch, .what = (uint8_t)what};
}

void order_threads_left(struct warp *w, uint32_t lanes) {
  struct order_cluster *c = w->block->order->cluster;
  if (w->launch->blocks_per_cluster == 1) return;
  for (uint32_t left = lanes; left; left &= left - 1)
    order_thread_of(w, (uint32_t)__builtin_ctz(left))->left_in_phase = c->cluster->cluster_phase + 1;
}

// Threads that have ended count as arrived at the cluster's barrier. Whoever has left that barrier since
// knows that they have ended.
static bool known_to_have_ended(const struct order_block *o, const struct order_thread *t) {
  return t->left_in_phase > 0 && o->phases_left >= t->left_in_phase;
}

static void check_accesses(struct block *b) {
  const struct order_block *o = b->order;
  const struct order_cluster *c = o->cluster;
  if (!o->accesses || c->raced) return;
  struct clock *seen = last_views(b);
  for (uint32_t i = 0; i < c->threads; i++) {
    const struct peer_access *access = &o->accesses[i];
    if (!access->op || clock_seen(seen, i + 1) >= access->epoch ||
        known_to_have_ended(o, order_view_at(c, i)))
      continue;
    const struct deed deed = order_thread_deed(c, i, access->op);
    report_absent(b, CONFLICT_BLOCK_GONE, (enum deed_kind)access->what, &deed);
  }
  clock_drop(seen);
}

void order_cluster_end(struct cluster *c) {
  // The grid was stopped before its threads came to their waits.
  if (c->device_error || atomic_load_explicit(&c->launch->device_error, memory_order_relaxed)) return;
  for (uint32_t rank = 0; rank < c->block_count; rank++) {
    struct block *b = c->blocks[rank];
    if (b->live_threads || !b->order) continue; // it was given up
    mbarrier_each(b, check_landed, b);
    check_sent(b);
    check_accesses(b);
  }
}
