// Waits that returned at once, behind a conflict. In: two deeds that nothing orders. Out: the fault of the wait, when there is one.
// One idea: a thread whose last wait told it nothing new should have waited for the other one if that one hands the bytes over on the same barrier:
// as soon as its arrival there publishes its access, the race is the wait's fault, and it is told so beside the race, which it explains.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/internal.h"
#include "virtual-hopper/shared-name.h"

const char *const order_refill_in_vain =
    ", and the load overwrites a tile that nobody has given back: the first time round the wait may pass, but this is not the first.";

const char *const order_parity_remedy =
    "Is it the barrier that was meant, that of this very stage? Its first phase has parity 0, and the parity flips once for each of its phases: "
    "parity ^= 1 after each completed wait; in a ring of stages (turn / STAGES) & 1, so once per round and not once per turn.";

struct search {
  uint32_t agent;
  const struct mbarrier *found;
  struct block *block; // that holds it
};

static void compare_agent(struct mbarrier *m, void *context) {
  struct search *search = context;
  if (m->order && m->order->agent == search->agent) search->found = m;
}

static struct search search_agent(const struct order_cluster *c, uint32_t agent) {
  struct search search = {.agent = agent};
  for (uint32_t i = 0; i < c->cluster->block_count && !search.found; i++) {
    search.block = c->cluster->blocks[i];
    if (search.block->order) mbarrier_each(search.block, compare_agent, &search);
  }
  return search;
}

// NULL: it has been invalidated meanwhile.
static const struct mbarrier *barrier_of_agent(const struct order_cluster *c, uint32_t agent) {
  return search_agent(c, agent).found;
}

// True when whoever waits for the barrier's running phase, or the one before, will have seen the other's access.
static bool publishes(const struct order_mbarrier *o, uint32_t other, uint32_t epoch) {
  return (other < o->gather.capacity && o->gather.seen[other] >= epoch) ||
         clock_seen(o->completed, other) >= epoch;
}

static void barrier_words(const struct order_cluster *c, const struct mbarrier *m, char *text, size_t size) {
  snprintf(text, size, "barrier");
  if (m) shared_name_barrier(c->launch->launch, m->offset, text, size);
}

void order_two_loads_words(struct order_cluster *c, uint32_t earlier, uint32_t later, char *text,
                           size_t size) {
  const struct mbarrier *first = barrier_of_agent(c, earlier), *second = barrier_of_agent(c, later);
  char name[128], other[128];
  text[0] = '\0';
  if (!first || !second || first == second) return;
  barrier_words(c, first, name, sizeof name);
  barrier_words(c, second, other, sizeof other);
  snprintf(text, size, " The first one completes on the %s, the second one on the %s.", name, other);
}

// A lane that waits for the running phase of a barrier; false: none does now.
static bool somebody_waits(const struct mbarrier *m, struct block *b, struct load_wait *wait) {
  const uint64_t address = (uint64_t)b->rank << SHARED_RANK_SHIFT | m->offset;
  for (uint32_t i = 0; i < b->warp_count; i++)
    for (uint32_t n = 0; n < b->warps[i].split_count; n++) {
      const struct split *s = &b->warps[i].splits[n];
      if (s->wait != WAIT_MBARRIER || s->wait_object != address || (s->wait_detail ^ m->phase) & 1) continue;
      wait->op = &s->frame->function->ops[s->pc];
      wait->thread = warp_thread(&b->warps[i], (uint32_t)__builtin_ctz(s->lanes));
      return true;
    }
  return false;
}

struct load_wait order_load_wait(struct order_cluster *c, uint32_t load, uint32_t epoch) {
  const struct search search = search_agent(c, load);
  struct load_wait wait = {.barrier = search.found ? search.found->order : NULL, .block = search.block};
  if (!wait.barrier) return wait;
  if (wait.barrier->news_phases >= epoch) {
    wait.op = wait.barrier->news_wait;
    wait.thread = wait.barrier->news_thread;
  } else if (search.found->phase + 1 == epoch) {
    somebody_waits(search.found, search.block, &wait);
  }
  return wait;
}

bool order_load_words(struct order_cluster *c, uint32_t index, uint32_t load, char *text, size_t size) {
  const struct order_thread *t = &c->thread[index];
  const struct mbarrier *loaded = barrier_of_agent(c, load);
  char name[128], other[128] = "";
  text[0] = '\0';
  if (!loaded) return false;
  barrier_words(c, loaded, name, sizeof name);
  const struct mbarrier *waited =
      t->last_wait && t->last_agent != load ? barrier_of_agent(c, t->last_agent) : NULL;
  if (waited) {
    struct fault_place place = {0};
    machine_place(&place, c->cluster->blocks[index / c->threads_per_block], t->last_wait,
                  index % c->threads_per_block);
    barrier_words(c, waited, other, sizeof other);
    snprintf(text, size,
             " The load completes on the %s; this thread's last wait, at line %u, was for the %s.", name,
             place.line, other);
  } else {
    snprintf(text, size, " The load completes on the %s.", name);
  }
  return waited;
}

void order_wait_words(struct order_cluster *c, uint32_t index, char *text, size_t size) {
  const struct order_thread *t = &c->thread[index];
  char name[128], phase[160];
  barrier_words(c, barrier_of_agent(c, t->stale_agent), name, sizeof name);
  if (t->stale_phases > 0)
    snprintf(phase, sizeof phase, ": that is phase %u, which was over and known to be over",
             t->stale_phases - 1);
  else
    snprintf(phase, sizeof phase, ", none of whose phases was complete: that counts as an old phase");
  snprintf(text, size, "The wait asks for parity %u of the %s%s. So it returns at once",
           (t->stale_phases + 1) & 1, name, phase);
}

void order_blame_wait(struct order_cluster *c, struct conflict *k, uint32_t index, const char *consequence) {
  const struct order_thread *t = &c->thread[index];
  char words[384];
  order_wait_words(c, index, words, sizeof words);
  k->rule = "parity";
  k->edit = 0;
  k->earlier_op = t->stale_wait;
  k->earlier_block = c->cluster->blocks[index / c->threads_per_block];
  k->earlier_thread = index % c->threads_per_block;
  k->earlier_role = t->stale_phases > 0
                        ? "waits for a phase that had completed before: the wait returns at once"
                        : "waits for the phase before the first: the wait returns at once";
  snprintf(k->message, sizeof k->message, "%s%s", words, consequence);
  snprintf(k->remedy, sizeof k->remedy, "%s", order_parity_remedy);
}

void order_blame_arrival(struct order_cluster *c, struct conflict *k, uint32_t writer, uint32_t epoch,
                         uint32_t reader) {
  const struct order_thread *t = &c->thread[reader];
  const struct mbarrier *m = t->last_wait && !t->stale_wait ? barrier_of_agent(c, t->last_agent) : NULL;
  if (!m || !m->last_arrive_by || m->order->arrival_agent != writer + 1 || m->order->arrival_epoch > epoch)
    return;
  char name[128];
  struct fault_place arrival = {0};
  barrier_words(c, m, name, sizeof name);
  machine_place(&arrival, k->earlier_block, m->last_arrive_by, k->earlier_thread);
  snprintf(
      k->message, sizeof k->message,
      "Thread %u writes after its arrival on the %s, at line %u. An arrival hands over what came before it, so whoever waits for the phase may not see "
      "this write.",
      k->earlier_thread, name, arrival.line);
  snprintf(k->remedy, sizeof k->remedy,
           "Write first, then arrive: move the write above arrive() or expect_bytes_and_arrive().");
}

bool order_waited_in_vain(const struct order_thread *loader) {
  return loader->stale_wait && loader->stale_again;
}

// The wait's own fault, as a conflict.
static void accuse(struct order_cluster *c, const struct suspect *s, struct conflict *k) {
  char consequence[160];
  snprintf(
      consequence, sizeof consequence,
      " and waits for nobody: not for thread %u either, which arrives there after it has worked on these bytes.",
      s->other_thread);
  k->later_op = s->op;
  k->later_block = s->block;
  k->later_thread = s->thread;
  k->later_role = s->kind == ORDER_READ ? "reads what another thread has not handed over yet"
                                        : "overwrites what another thread has not handed over yet";
  order_blame_wait(c, k, s->agent - 1, consequence);
}

void order_suspect(struct order_cluster *c, const struct suspect *s, struct conflict *race) {
  const struct order_thread *t = &c->thread[s->agent - 1];
  // Who fills a stage passes its empty barrier in this way the first time round, and rightly so.
  bool excused = s->kind != ORDER_READ && t->stale_phases == 0;
  if (!t->stale_wait || t->stale_since > s->epoch || excused) return;
  const struct mbarrier *barrier = barrier_of_agent(c, t->stale_agent);
  if (!barrier) return;
  struct fault_place wait = {0};
  machine_place(&wait, s->block, t->stale_wait, s->thread);
  struct suspicion suspicion = {
      .barrier = t->stale_agent, .other = s->other, .epoch = s->other_epoch, .conflict = *race};
  size_t used = strlen(race->message);
  snprintf(
      race->message + used, sizeof race->message - used,
      " The last wait of thread %u, at line %u, had returned at once: it ordered nothing. Was its parity right?",
      s->thread, wait.line);
  accuse(c, s, &suspicion.conflict);
  if (publishes(barrier->order, s->other, s->other_epoch)) {
    order_report(c->launch, &suspicion.conflict);
    return;
  }
  if (!c->suspicions) c->suspicions = calloc(MOST_SUSPICIONS, sizeof *c->suspicions);
  if (!c->suspicions) die("out of memory for the order engine");
  if (c->suspicion_count < MOST_SUSPICIONS) c->suspicions[c->suspicion_count++] = suspicion;
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
