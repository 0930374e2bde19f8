// What the program does against a conflict, in vain. In: a conflict that is about to be reported. Out: the
// proxy fence that misses it, or the wait for bulk groups, and why. One idea: whoever has put a fence at the
// wrong place needs to be told of that fence; "there is none" would send them astray.
#include "virtual-hopper/order/internal.h"

static struct order_thread *thread_of(const struct deed *deed) {
  struct order_cluster *c = deed->block->cluster->order;
  return order_thread_at(c, deed->block->rank * c->threads_per_block + deed->thread);
}

static struct last_arrival arrival_of(const struct deed *deed) {
  const struct order_cluster *c = deed->block->cluster->order;
  return order_arrival_at(c, deed->block->rank * c->threads_per_block + deed->thread);
}

static bool take(struct conflict_facts *facts, struct deed *deed, enum culprit_kind kind,
                 const struct deed *found) {
  *deed = *found;
  facts->culprit.kind = kind;
  facts->culprit.thread = found->thread;
  return true;
}

// A fence of another kind, in the writer or in the thread that issues the copy: it was meant for this, or for
// something else.
static bool find_other_fence(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_thread *writer = thread_of(&k->earlier), *issuer = thread_of(&k->later);
  const struct {
    const struct deed *of;
    const struct op *fence;
    enum culprit_kind kind;
  } fences[] = {{&k->earlier, writer->fence_of_inits, FENCE_OF_INITS},
                {&k->later, issuer->fence_of_inits, FENCE_OF_INITS},
                {&k->earlier, writer->fence_of_memory, FENCE_OF_MEMORY},
                {&k->later, issuer->fence_of_memory, FENCE_OF_MEMORY},
                {&k->earlier, writer->fence_after_init, FENCE_AFTER_INIT},
                {&k->later, issuer->fence_after_init, FENCE_AFTER_INIT}};
  for (size_t i = 0; i < sizeof fences / sizeof *fences; i++) {
    struct deed found = *fences[i].of;
    found.op = fences[i].fence;
    if (found.op) return take(facts, deed, fences[i].kind, &found);
  }
  return false;
}

// In the writer, in the thread that issues the copy, or in any other thread of its block.
static bool find_fence(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_thread *writer = thread_of(&k->earlier), *issuer = thread_of(&k->later);
  struct deed found = k->later;
  found.op = issuer->fence;
  if (found.op && issuer->fence_own_block && k->earlier.block != k->later.block)
    return take(facts, deed, FENCE_OF_OWN_BLOCK, &found);
  found = k->earlier;
  found.op = writer->fence;
  if (found.op)
    return take(facts, deed, writer->fence_epoch < k->earlier_epoch ? FENCE_TOO_EARLY : FENCE_TOO_LATE,
                &found);
  found = k->later;
  found.op = issuer->fence;
  if (found.op) return take(facts, deed, FENCE_BEFORE_MEETING, &found);
  for (found.thread = 0; found.thread < k->later.block->launch->threads_per_block; found.thread++) {
    found.op = thread_of(&found)->fence;
    if (found.op) return take(facts, deed, FENCE_OF_OTHER, &found);
  }
  found = k->earlier;
  found.op = writer->fence_global;
  if (found.op) return take(facts, deed, FENCE_OF_GLOBAL, &found);
  found = k->later;
  found.op = issuer->fence_global;
  if (found.op) return take(facts, deed, FENCE_OF_GLOBAL, &found);
  return find_other_fence(k, facts, deed);
}

// Of an initialisation that another block has not seen: a proxy fence behind it, or the right fence in the
// wrong place.
static bool find_fence_of_init(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  struct deed found = k->earlier;
  found.op = thread_of(&k->earlier)->fence_after_init;
  if (found.op) return take(facts, deed, FENCE_AFTER_INIT, &found);
  found.op = thread_of(&k->earlier)->fence_of_inits;
  if (found.op) return take(facts, deed, INIT_FENCE_TOO_EARLY, &found);
  for (found.thread = 0; found.thread < found.block->launch->threads_per_block; found.thread++) {
    found.op = thread_of(&found)->fence_of_inits;
    if (found.op) return take(facts, deed, INIT_FENCE_OF_OTHER, &found);
  }
  return false;
}

// In the thread that issued the cp.async, before it waited for that.
static bool find_fence_before_wait(const struct conflict *k, struct conflict_facts *facts,
                                   struct deed *deed) {
  const struct order_thread *copier = thread_of(&k->earlier);
  struct deed found = k->earlier;
  found.op = copier->fence;
  return found.op && copier->cp_async_wait && copier->fence_epoch < copier->cp_async_wait_epoch &&
         take(facts, deed, FENCE_TOO_EARLY, &found);
}

// By another thread of the block, which has nothing to wait for.
static bool find_wait_of_other(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  struct deed found = k->earlier;
  for (found.thread = 0; found.thread < k->earlier.block->launch->threads_per_block; found.thread++) {
    const struct order_thread *t = thread_of(&found);
    found.op = t->group_wait;
    if (found.op && t->store_sequence == 0) return take(facts, deed, WAIT_OF_OTHER, &found);
  }
  return false;
}

// By the thread that issued the store, after it.
static bool find_wait(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_thread *issuer = thread_of(&k->earlier);
  const uint32_t self = (uint32_t)(issuer - k->earlier.block->cluster->order->thread) + 1;
  struct deed found = k->earlier;
  found.op = issuer->group_wait;
  if (!found.op || issuer->group_since < k->earlier_epoch) return find_wait_of_other(k, facts, deed);
  if (order_seen(issuer, self, issuer->read_agent) >= k->earlier_epoch)
    return take(facts, deed, WAIT_NOT_PASSED_ON, &found);
  // Another thread may be here while the issuer is still on its way to the wait that would cover the store.
  const bool is_last = issuer == thread_of(&k->later) || issuer->group_since == issuer->store_sequence;
  facts->culprit.newest = issuer->group_newest;
  if (issuer->group_newest == 0) return take(facts, deed, WAIT_BEFORE_COMMIT, &found);
  return is_last && take(facts, deed, WAIT_LEAVES_GROUP, &found);
}

// Of a store that still reads when its block ends: the last wait of its thread, if that came after it.
static bool find_wait_before_exit(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_thread *issuer = thread_of(&k->later);
  struct deed found = k->later;
  found.op = issuer->group_wait;
  if (!found.op || !k->earlier_epoch || issuer->group_since < k->earlier_epoch) return false;
  facts->culprit.newest = issuer->group_newest;
  return take(facts, deed, issuer->group_newest > 0 ? WAIT_LEAVES_GROUP : WAIT_BEFORE_COMMIT, &found);
}

// Of a store whose results are used: the wait that tells too little.
static bool find_wait_for_results(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_thread *issuer = thread_of(&k->earlier);
  const uint32_t self = (uint32_t)(issuer - k->earlier.block->cluster->order->thread) + 1;
  struct deed found = k->earlier;
  found.op = issuer->group_read_wait;
  // Another one, for the whole store, may follow by now: nobody else has been told of that.
  if (facts->kind == CONFLICT_READ_WAIT_THEN_ACCESS && found.op &&
      issuer->group_read_since >= k->earlier_epoch)
    return take(facts, deed, WAIT_ONLY_READS, &found);
  found.op = issuer->group_wait;
  if (!found.op || issuer->group_since < k->earlier_epoch) return false;
  if (order_seen(issuer, self, issuer->write_agent) >= k->earlier_epoch)
    return take(facts, deed, WAIT_NOT_PASSED_ON, &found);
  facts->culprit.newest = issuer->group_newest;
  if (issuer->group_newest == 0) return take(facts, deed, WAIT_BEFORE_COMMIT, &found);
  return issuer->group_since == issuer->store_sequence && take(facts, deed, WAIT_LEAVES_GROUP, &found);
}

// By the thread that issued the cp.async, after it.
static bool find_cp_async_wait(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_thread *issuer = thread_of(&k->earlier);
  const uint32_t self = (uint32_t)(issuer - k->earlier.block->cluster->order->thread) + 1;
  struct deed found = k->earlier;
  found.op = issuer->cp_async_wait;
  if (!found.op || issuer->cp_async_since < k->earlier_epoch) return false;
  if (order_seen(issuer, self, issuer->cp_async_agent) >= k->earlier_epoch)
    return take(facts, deed, WAIT_NOT_PASSED_ON, &found);
  facts->culprit.newest = issuer->cp_async_newest;
  return take(facts, deed, issuer->cp_async_newest > 0 ? WAIT_LEAVES_GROUP : WAIT_BEFORE_COMMIT, &found);
}

// Who waits or arrives with .relaxed comes to the right barrier, and orders nothing.
static bool find_relaxed(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_thread *earlier = thread_of(&k->earlier), *later = thread_of(&k->later);
  const bool is_load = facts->kind == CONFLICT_LOAD_NOT_AWAITED;
  const struct order_cluster *c = k->earlier.block->cluster->order;
  const uint32_t agent = is_load ? k->load_agent : (uint32_t)(earlier - c->thread) + 1,
                 epoch = is_load ? k->load_epoch : k->earlier_epoch;
  struct deed found = k->later;
  found.op = later->relaxed_wait;
  if (!agent || !epoch) return false;
  if (found.op && clock_seen(later->glimpsed, agent) >= epoch) return take(facts, deed, WAIT_RELAXED, &found);
  found = k->earlier;
  found.op = earlier->relaxed_arrival;
  return !is_load && found.op && earlier->arrival_upto >= epoch && later->last_wait &&
         take(facts, deed, ARRIVAL_RELAXED, &found);
}

// Who goes on right after bar.arrive, at a barrier to which the other one comes with what it has done.
static bool is_left_behind(const struct order_thread *t, const struct order_thread *other,
                           uint32_t other_epoch) {
  return t->bar_arrive && t->bar_arrive_at > 0 && other->bar_sync_at == t->bar_arrive_at &&
         other->bar_sync_epoch >= other_epoch;
}

// Who goes on right after bar.arrive, at a barrier at which nobody waits: it orders nothing.
static bool is_in_vain(const struct order_thread *t, const struct block *b) {
  return t->bar_arrive && !(b->order->barriers_awaited >> t->bar_arrive_at & 1);
}

static bool find_bar_arrive(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_thread *earlier = thread_of(&k->earlier), *later = thread_of(&k->later);
  const bool after = earlier->bar_arrive_epoch <= k->earlier_epoch;
  struct deed found = k->later;
  if (k->earlier.block != k->later.block) return false;
  found.op = later->bar_arrive;
  if (is_in_vain(later, k->later.block) || is_left_behind(later, earlier, k->earlier_epoch))
    return take(facts, deed, BARRIER_NOT_AWAITED, &found);
  found = k->earlier;
  found.op = earlier->bar_arrive;
  return after && is_in_vain(earlier, k->earlier.block) && take(facts, deed, BARRIER_NOT_AWAITED, &found);
}

// A flag that orders nothing. The earlier thread has set it, or a lane of its warp for it, and the later
// one's warp has read it.
static bool find_flag(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_cluster *c = k->earlier.block->cluster->order;
  const uint32_t before = k->earlier.block->rank * c->threads_per_block,
                 writer = before + k->earlier.thread + 1,
                 reader = k->later.block->rank * c->threads_per_block + k->later.thread + 1;
  const struct relaxed_flag *flag = order_flag_between(c, writer, k->earlier_epoch, reader);
  if (!flag || (flag->writer != writer &&
                (flag->op->module != k->earlier.op->module || flag->op->source <= k->earlier.op->source)))
    return false;
  const struct deed found = {flag->op, k->earlier.block, flag->writer - 1 - before};
  return take(facts, deed, FLAG_RELAXED, &found);
}

// One lane arrives for its warp, after the earlier deed in the program's text, and hasn't met the lane that
// did it. The later thread waits for that arrival.
static bool find_arrival_of_warp(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  if (k->earlier.thread / WARP_LANES == k->later.thread / WARP_LANES || !k->earlier.op->source) return false;
  const struct order_thread *later = thread_of(&k->later);
  const struct last_arrival earlier = arrival_of(&k->earlier);
  if (!later->last_wait || later->stale_wait || later->refused_wait) return false;
  if (earlier.op && earlier.agent == later->last_agent) return false;
  struct deed found = k->earlier;
  const uint32_t first = k->earlier.thread / WARP_LANES * WARP_LANES;
  for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
    found.thread = first + lane;
    if (found.thread >= k->earlier.block->launch->threads_per_block) return false;
    const struct last_arrival last = arrival_of(&found);
    found.op = last.op;
    if (found.op && last.agent == later->last_agent && found.op->module == k->earlier.op->module &&
        found.op->source > k->earlier.op->source)
      return take(facts, deed, ARRIVAL_OF_WARP, &found);
  }
  return false;
}

// The barrier that the later thread has waited for, at that phase: did the earlier thread, or another lane of
// its warp, arrive before the earlier deed?
static bool find_early_arrival(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_thread *later = thread_of(&k->later);
  if (!later->last_wait || later->stale_wait || later->refused_wait || !k->earlier.op->source) return false;
  const uint32_t first = k->earlier.thread / WARP_LANES * WARP_LANES;
  struct deed found = k->earlier;
  // On the barrier that tells of the load itself, arrivals say that it has been started.
  const struct agent_barrier waited = order_barrier_of(found.block->cluster->order, later->last_agent);
  if (waited.barrier && waited.barrier->order && waited.barrier->order->load.epoch > 0) return false;
  for (uint32_t n = 0; n <= WARP_LANES; n++) { // first the thread itself
    found.thread = n ? first + n - 1 : k->earlier.thread;
    if (found.thread >= k->earlier.block->launch->threads_per_block) return false;
    const struct last_arrival last = arrival_of(&found);
    found.op = last.op;
    if (found.op && last.agent == later->last_agent && last.phase + 1 == later->stale_phases &&
        found.op->module == k->earlier.op->module && found.op->source < k->earlier.op->source)
      return take(facts, deed, ARRIVAL_TOO_EARLY, &found);
  }
  return false;
}

// Of a buffer that is loaded again before anybody has read it: whoever arrives with .relaxed where the
// loading thread waits.
static bool find_relaxed_giver(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_thread *later = thread_of(&k->later);
  if (!later->last_wait || later->stale_wait || later->refused_wait) return false;
  struct deed found = k->later;
  for (found.thread = 0; found.thread < k->later.block->launch->threads_per_block; found.thread++) {
    const struct order_thread *t = thread_of(&found);
    found.op = t->relaxed_arrival;
    if (found.op && t->relaxed_agent == later->last_agent) return take(facts, deed, ARRIVAL_RELAXED, &found);
  }
  return false;
}

// The reader has given the bytes back on a barrier, and the writer has not come there; or the writer has
// handed them over, and the reader has not.
static bool find_arrival_not_awaited(const struct conflict *k, struct conflict_facts *facts,
                                     struct deed *deed) {
  const struct order_thread *second = thread_of(&k->later);
  const struct last_arrival last = arrival_of(&k->earlier);
  struct deed found = k->earlier;
  found.op = last.op;
  if (facts->kind == CONFLICT_WRITE_THEN_ACCESS && (facts->later != DEED_READ || facts->with_atomic))
    return false;
  if (k->earlier.block != k->later.block || !found.op || last.epoch <= k->earlier_epoch ||
      second->refused_wait || (second->last_wait && second->last_agent == last.agent))
    return false;
  return take(facts, deed, ARRIVAL_NOT_AWAITED, &found);
}

// The writer of another block has handed the bytes over on a barrier of its own block, and the reader has
// waited for its own block's barrier at the same place: without mapa the same name means another barrier.
static bool find_own_arrival(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_thread *reader = thread_of(&k->later);
  const struct last_arrival last = arrival_of(&k->earlier);
  struct deed found = k->earlier;
  found.op = last.op;
  if (facts->kind != CONFLICT_WRITE_THEN_ACCESS || facts->later != DEED_READ || facts->with_atomic ||
      k->earlier.block == k->later.block || !found.op || last.epoch <= k->earlier_epoch ||
      !reader->last_wait || reader->refused_wait)
    return false;
  struct order_cluster *c = k->earlier.block->cluster->order;
  const struct agent_barrier told = order_barrier_of(c, last.agent),
                             waited = order_barrier_of(c, reader->last_agent);
  return told.barrier && waited.barrier && told.block == k->earlier.block && waited.block == k->later.block &&
         told.barrier->offset == waited.barrier->offset && take(facts, deed, ARRIVAL_IN_OWN_BLOCK, &found);
}

// Of a tile that a product still reads: the arrival by which a thread of the warpgroup has given it back, on
// the barrier that the loading thread has waited for.
static bool find_giver(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  enum { GROUP_THREADS = 128 };
  const struct order_thread *loader = thread_of(&k->later);
  const uint32_t first = k->earlier.thread / GROUP_THREADS * GROUP_THREADS;
  if (!loader->last_wait || loader->stale_wait || loader->refused_wait || k->earlier.block != k->later.block)
    return false;
  struct deed found = k->earlier;
  for (uint32_t n = 0; n < GROUP_THREADS; n++) {
    found.thread = first + n;
    if (found.thread >= k->earlier.block->launch->threads_per_block) return false;
    const struct last_arrival last = arrival_of(&found);
    if (!last.op || last.agent != loader->last_agent) continue;
    const struct product_wait *wait =
        &order_warp_of(&found.block->warps[found.thread / WARP_LANES])->product_wait;
    found.op = last.op;
    // behind the product, and leaves it
    if (wait->op && wait->commits >= k->earlier_epoch && wait->commits - wait->newest < k->earlier_epoch) {
      struct fault_place place = {0};
      machine_place(&place, found.block, wait->op, found.thread);
      facts->culprit.wait_at = place_line(&place);
      facts->culprit.newest = wait->newest;
    }
    return take(facts, deed, TILE_GIVEN_BACK, &found);
  }
  return false;
}

// A thread of the block that uses a map has fenced maps, but not this one.
static bool find_map_fence(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct order_cluster *c = k->later.block->cluster->order;
  const uint32_t first = k->later.block->rank * c->threads_per_block + 1;
  const struct map_acquire *other = NULL;
  for (const struct map_acquire *m = c->maps.acquires; m; m = m->next) {
    if (m->address == facts->map) return false;
    const bool is_users = m->agent == first + k->later.thread;
    if (m->agent >= first && m->agent - first < c->threads_per_block && (!other || is_users)) other = m;
  }
  if (!other || c->maps.acquire_count > MOST_MAP_ACQUIRES) return false;
  facts->culprit.bytes = (int64_t)(other->address - facts->map);
  const struct deed found = {other->op, k->later.block, other->agent - first};
  return take(facts, deed, MAP_FENCE_ELSEWHERE, &found);
}

// The later thread uses another block's barrier or memory, and has not waited at the cluster's barrier.
static bool find_cluster_arrival(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const uint32_t thread = k->later.thread;
  const struct warp *w = &k->later.block->warps[thread / WARP_LANES];
  if (!(w->cluster_arrived >> thread % WARP_LANES & 1) || !w->cluster_arrived_at) return false;
  const struct deed found = {w->cluster_arrived_at, k->later.block, thread};
  return take(facts, deed, CLUSTER_NOT_AWAITED, &found);
}

static bool find_way_out(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  const struct launch *l = k->later.block->launch;
  const struct op *way = l->way_out ? l->way_out(l->function) : NULL;
  const struct deed found = {way, k->later.block, k->later.thread};
  return way && take(facts, deed, CLUSTER_LEFT_EARLY, &found);
}

bool order_find_culprit(const struct conflict *k, struct conflict_facts *facts, struct deed *deed) {
  if (facts->kind == CONFLICT_BLOCK_NOT_BEGUN ||
      (facts->kind == CONFLICT_INIT_NOT_SEEN && facts->distance == SAME_CLUSTER))
    return find_cluster_arrival(k, facts, deed);
  if (facts->kind == CONFLICT_BLOCK_GONE) return find_way_out(k, facts, deed);
  if (facts->kind == CONFLICT_MAP_NOT_ACQUIRED || facts->kind == CONFLICT_UNFENCED_TENSOR_MAP)
    return find_map_fence(k, facts, deed);
  if (facts->kind == CONFLICT_EXIT_BEFORE_READ) return find_wait_before_exit(k, facts, deed);
  if (!k->earlier.block) return false;
  if (facts->kind == CONFLICT_INIT_NOT_RELEASED) return find_fence_of_init(k, facts, deed);
  if (facts->kind == CONFLICT_REFILL_BEFORE_LANDING) return find_relaxed_giver(k, facts, deed);
  if (facts->kind == CONFLICT_REFILL_WHILE_READ &&
      (find_relaxed(k, facts, deed) || find_early_arrival(k, facts, deed)))
    return true;
  if (facts->kind == CONFLICT_REFILL_WHILE_READ || facts->kind == CONFLICT_WRITE_THEN_LOAD ||
      facts->kind == CONFLICT_WRITE_THEN_STORE || facts->kind == CONFLICT_WRITE_THEN_PRODUCT)
    return find_arrival_of_warp(k, facts, deed) || (k->earlier_epoch && find_flag(k, facts, deed));
  if (!(k->earlier_epoch || k->load_epoch)) return false;
  switch (facts->kind) {
  case CONFLICT_UNFENCED_SOURCE:
  case CONFLICT_UNFENCED_OPERAND:
  case CONFLICT_UNFENCED_DESTINATION:
    if (facts->earlier == DEED_CP_ASYNC) return find_fence_before_wait(k, facts, deed);
    return facts->earlier == DEED_WRITE && find_fence(k, facts, deed);
  case CONFLICT_LOAD_NOT_AWAITED:
  case CONFLICT_WRITE_THEN_ACCESS:
  case CONFLICT_READ_THEN_WRITE:
    return find_relaxed(k, facts, deed) ||
           (facts->kind != CONFLICT_LOAD_NOT_AWAITED &&
            (find_flag(k, facts, deed) || find_bar_arrive(k, facts, deed) ||
             find_arrival_of_warp(k, facts, deed) || find_own_arrival(k, facts, deed) ||
             find_arrival_not_awaited(k, facts, deed)));
  case CONFLICT_STORE_SOURCE_WRITTEN:
  case CONFLICT_STORE_SOURCE_REFILLED: return find_wait(k, facts, deed);
  case CONFLICT_OPERAND_REFILLED: return find_giver(k, facts, deed);
  case CONFLICT_READ_WAIT_THEN_ACCESS:
  case CONFLICT_STORE_NOT_AWAITED: return find_wait_for_results(k, facts, deed);
  case CONFLICT_OWN_CP_ASYNC_NOT_AWAITED:
  case CONFLICT_CP_ASYNC_NOT_PASSED_ON: return find_cp_async_wait(k, facts, deed);
  default: return false;
  }
}
