// The queue of a cluster. In: copies that are issued. Out: copies delivered, as late as the rules allow, and
// counters. The theory of operation is in internal.h.
#include "virtual-hopper/async/internal.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/async/mbarrier-fault.h"
#include "virtual-hopper/async/reduce.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/rules/copy-words.h"
#include "virtual-hopper/time/record.h"

struct async_queue *async_queue_of(struct cluster *c) {
  if (!c->async) c->async = calloc(1, sizeof *c->async);
  if (!c->async) die("out of memory for a cluster's queue of copies");
  return c->async;
}

bool async_is_store(enum async_kind kind) {
  return kind == ASYNC_BULK_STORE || kind == ASYNC_BULK_REDUCE || kind == ASYNC_TENSOR_STORE ||
         kind == ASYNC_TENSOR_REDUCE;
}

bool async_is_ordered(const struct async_copy *copy) {
  bool reduces = copy->kind == ASYNC_BULK_REDUCE || copy->kind == ASYNC_TENSOR_REDUCE;
  return reduces && async_reduce_ordered((enum async_operation)copy->operation, (enum ptx_type)copy->element);
}

static bool is_load(enum async_kind kind) {
  return kind == ASYNC_BULK_LOAD || kind == ASYNC_TENSOR_LOAD || kind == ASYNC_BULK_CLUSTER ||
         kind == ASYNC_BULK_CLUSTER_REDUCE;
}

// ---- records ----------------------------------------------------------------------------------------------

// The launch has used up its memory for copies in flight.
static void refuse(struct actor by) {
  struct fault f;
  copy_words_no_room(&f);
  f.device_error = ERROR_LAUNCH_TIMEOUT;
  warp_fault(by.w, by.op, by.lane, &f);
}

struct async_copy *async_new(struct actor by, enum async_kind kind) {
  struct async_queue *q = async_queue_of(by.w->block->cluster);
  struct async_copy *copy = q->free;
  if (copy)
    q->free = copy->next;
  else if (!(copy = calloc(1, sizeof(struct async_entry))))
    die("out of memory for an asynchronous copy");
  else if (!launch_take(by.w->launch, sizeof(struct async_entry)))
    refuse(by);
  struct async_entry *e = entry_of(copy);
  // the other fields are set below, or by the caller
  memset(copy, 0, offsetof(struct async_copy, destination));
  copy->kind = kind;
  copy->op = by.op;
  copy->block = by.w->block;
  copy->thread = actor_thread(by);
  copy->destination_count = 0;
  copy->mbarrier_offset = 0;
  copy->group = 0;
  copy->operation = ASYNC_STORE;
  copy->element = PTX_TYPE_NONE;
  copy->source_bytes = 0;
  copy->source_read = copy->written = false;
  copy->box = NULL;
  copy->map = 0;
  copy->order = NULL;
  copy->race = 0;
  copy->next = copy->previous = NULL;
  e->staged = NULL;
  e->orphan = e->is_arrival = false;
  if (kind >= ASYNC_TENSOR_LOAD && kind <= ASYNC_TENSOR_REDUCE) copy->box = &e->box;
  return copy;
}

void async_free(struct cluster *c, struct async_copy *copy) {
  struct async_entry *e = entry_of(copy);
  e->staged = NULL;
  if (c->async->buffer_bytes > BUFFERS_MOST_BYTES) {
    c->async->buffer_bytes -= e->buffer_bytes;
    budget_give(c->launch->budget, BUDGET_COPIES, e->buffer_bytes);
    free(e->buffer);
    e->buffer = NULL;
    e->buffer_bytes = 0;
  }
  copy->next = c->async->free;
  c->async->free = copy;
}

void async_drop(struct async_copy *copy) {
  async_free(copy->block->cluster, copy);
}

// ---- counting ---------------------------------------------------------------------------------------------

static void count_bytes(struct cluster *c, const struct async_copy *copy) {
  struct observed *o = &c->observed;
  const bool handed = memory_is_handed(c->launch->memory, copy->global_address);
  // A load brings zeros from outside the tensor, and announces them. A store leaves out what lies there.
  const bool clipped = copy->box && async_is_store(copy->kind);
  const uint64_t bytes = clipped ? tensor_box_bytes_inside(copy->box) : copy->bytes;
  switch (copy->kind) {
  case ASYNC_BULK_LOAD: o->bulk_load_bytes += bytes; break;
  case ASYNC_BULK_STORE: o->bulk_store_bytes += bytes; break;
  case ASYNC_BULK_REDUCE: o->bulk_reduce_bytes += bytes; break;
  case ASYNC_TENSOR_LOAD: o->tensor_load_bytes += bytes; break;
  case ASYNC_TENSOR_STORE: o->tensor_store_bytes += bytes; break;
  case ASYNC_TENSOR_REDUCE: o->tensor_reduce_bytes += bytes; break;
  case ASYNC_CP_ASYNC:
    o->cp_async_bytes += bytes;
    *(handed ? &o->handed_load_bytes : &o->own_load_bytes) += bytes;
    break;
  default: o->cluster_copy_bytes += bytes; break;
  }
  if (is_load(copy->kind) && copy->destination_count > 1)
    o->multicast_saved_bytes += bytes * (copy->destination_count - 1);
  if (async_is_store(copy->kind) && !handed) o->own_store_bytes += bytes;
  if (async_is_store(copy->kind) && handed && copy->block->phased) o->phase_store_bytes += bytes;
}

static void count_in_flight(struct cluster *c, const struct async_copy *copy) {
  struct async_queue *q = c->async;
  uint32_t rank = copy->block->rank;
  if (is_load(copy->kind)) {
    uint32_t now = ++q->loads_in_flight[rank];
    overlap_issue(c, copy);
    if (now > c->observed.max_loads_in_flight) c->observed.max_loads_in_flight = now;
    uint64_t bytes = q->load_bytes_in_flight[rank] += copy->bytes;
    if (bytes > c->observed.max_load_bytes_in_flight) c->observed.max_load_bytes_in_flight = bytes;
    q->load_samples++;
    q->load_sum += now;
    c->observed.mean_loads_in_flight = (double)q->load_sum / (double)q->load_samples;
  } else if (async_is_store(copy->kind)) {
    uint32_t now = ++q->stores_in_flight[rank];
    overlap_store(c, rank, copy->bytes);
    if (now > c->observed.max_stores_in_flight) c->observed.max_stores_in_flight = now;
    q->store_samples++;
    q->store_sum += now;
    c->observed.mean_stores_in_flight = (double)q->store_sum / (double)q->store_samples;
  }
}

// ---- issue ------------------------------------------------------------------------------------------------

static void landing_append(struct async_queue *q, struct async_copy *copy) {
  copy->next = NULL;
  copy->previous = q->landing_tail;
  *(q->landing_tail ? &q->landing_tail->next : &q->landing_head) = copy;
  q->landing_tail = copy;
  q->landing_count++;
}

static void landing_remove(struct async_queue *q, struct async_copy *copy) {
  *(copy->previous ? &copy->previous->next : &q->landing_head) = copy->next;
  *(copy->next ? &copy->next->previous : &q->landing_tail) = copy->previous;
  q->landing_count--;
}

void async_issue(struct warp *w, uint32_t lane, struct async_copy *copy, uint8_t *host) {
  struct cluster *c = w->block->cluster;
  struct async_entry *e = entry_of(copy);
  e->host = host;
  count_bytes(c, copy);
  count_in_flight(c, copy);
  if (copy->kind == ASYNC_CP_ASYNC || async_is_store(copy->kind)) {
    struct bulk_thread *t = async_thread(w->block, copy->thread);
    async_thread_append(t, copy);
    if (async_is_ordered(copy)) c->async->ordered_count++;
  } else {
    landing_append(c->async, copy);
    for (uint32_t i = 0; i < copy->destination_count; i++) {
      struct mbarrier *m = mbarrier_find(copy->destination[i], copy->mbarrier_offset);
      if (m) m->copies_pending++;
    }
  }
  if (w->launch->time && copy->kind != ASYNC_CP_ASYNC) time_copy(w, copy);
  if (w->launch->check) order_copy_issue(actor_of(w, copy->op, lane), copy);
}

void async_cp_arrive(struct actor by, uint32_t mbarrier_offset) {
  struct async_copy *copy = async_new(by, ASYNC_CP_ASYNC);
  struct async_entry *e = entry_of(copy);
  copy->bytes = 0;
  copy->destination[0] = by.w->block;
  copy->destination_count = 1;
  copy->mbarrier_offset = mbarrier_offset;
  e->is_arrival = true;
  e->cp_sequence = async_thread(by.w->block, copy->thread)->cp_sequence;
  if (by.w->launch->check) order_cp_async_arrival(by, copy);
  landing_append(by.w->block->cluster->async, copy);
  const struct mbarrier *m = mbarrier_find(by.w->block, mbarrier_offset);
  if (by.w->launch->time && m) time_mbarrier_arrive(by.w, by.w->block, mbarrier_offset, m->phase, by.op);
}

// ---- delivery ---------------------------------------------------------------------------------------------

// Marks the barriers that splits wait for. Returns the number of such waits.
static uint32_t mark_wanted(struct cluster *c, uint64_t stamp) {
  uint32_t wanted = 0;
  for (uint32_t rank = 0; rank < c->block_count; rank++) {
    struct block *b = c->blocks[rank];
    if (!b || b->exited) continue;
    for (uint32_t i = 0; i < b->warp_count; i++) {
      for (uint32_t s = 0; s < b->warps[i].split_count; s++) {
        const struct split *split = &b->warps[i].splits[s];
        if (split->wait != WAIT_MBARRIER) continue;
        struct mbarrier *m = mbarrier_find(b, (uint32_t)split->wait_object & ((1u << SHARED_RANK_SHIFT) - 1));
        if (!m) continue;
        m->wanted = stamp;
        wanted++;
      }
    }
  }
  return wanted;
}

static bool is_wanted(const struct async_copy *copy, uint64_t stamp) {
  for (uint32_t i = 0; i < copy->destination_count; i++) {
    const struct mbarrier *m = mbarrier_find(copy->destination[i], copy->mbarrier_offset);
    if (m && m->wanted == stamp) return true;
  }
  return false;
}

// A random one of the landing copies, if possible on a barrier that somebody waits for.
static struct async_copy *choose(struct cluster *c) {
  struct async_queue *q = c->async;
  uint64_t stamp = ++q->stamp;
  bool anybody = mark_wanted(c, stamp) > 0;
  struct async_copy *wanted = NULL, *any = NULL;
  uint32_t wanted_seen = 0, seen = 0;
  for (struct async_copy *copy = q->landing_head; copy; copy = copy->next) {
    if (machine_random(&c->random) % ++seen == 0) any = copy;
    if (anybody && is_wanted(copy, stamp) && machine_random(&c->random) % ++wanted_seen == 0) wanted = copy;
  }
  return wanted ? wanted : any;
}

// A random landing copy on this barrier; NULL: none.
static struct async_copy *choose_same(struct cluster *c, const struct block *owner,
                                      uint32_t mbarrier_offset) {
  struct async_copy *chosen = NULL;
  uint32_t seen = 0;
  for (struct async_copy *copy = c->async->landing_head; copy; copy = copy->next) {
    if (copy->mbarrier_offset != mbarrier_offset) continue;
    for (uint32_t i = 0; i < copy->destination_count; i++)
      if (copy->destination[i] == owner && machine_random(&c->random) % ++seen == 0) chosen = copy;
  }
  return chosen;
}

static void land(struct cluster *c, struct async_copy *copy) {
  landing_remove(c->async, copy);
  if (is_load(copy->kind)) {
    c->async->loads_in_flight[copy->block->rank]--;
    c->async->load_bytes_in_flight[copy->block->rank] -= copy->bytes;
    overlap_land(c, copy);
  }
  async_land(c, copy);
}

void async_land_pending(struct block *owner, uint32_t mbarrier_offset) {
  struct cluster *c = owner->cluster;
  struct async_copy *copy;
  while ((copy = choose_same(c, owner, mbarrier_offset)))
    land(c, copy);
}

bool async_deliver(struct cluster *c) {
  struct async_queue *q = c->async;
  if (!q) return false;
  struct async_copy *copy = q->landing_head ? choose(c) : NULL;
  if (copy) {
    struct block *owner = copy->destination[0];
    uint32_t offset = copy->mbarrier_offset;
    uint64_t events = c->events;
    do
      land(c, copy);
    while (c->events == events && (copy = choose_same(c, owner, offset)));
    c->events++; // memory has changed: threads that poll it may look again
    return true;
  }
  if (q->staged_count == 0) return false;
  if (q->ordered_count > 0 && !cluster_take_turn(c)) return true;
  async_trim(c, 0);
  c->events++;
  return true;
}

// ---- ends -------------------------------------------------------------------------------------------------

// `idle`: the wait of a thread that has issued nothing; NULL: there is none.
static void report_uncommitted(const struct block *b, const struct bulk_thread *t,
                               const struct async_copy *copy, const struct op *idle) {
  struct fault f;
  struct fault_place other = {0};
  const uint32_t thread = b->cluster->async->idle_waits[b->rank].thread;
  if (idle) machine_place(&other, b, idle, thread);
  const struct copy_facts facts = {.bytes = copy->bytes,
                                   .thread = copy->thread,
                                   .committed_groups = t->open_group,
                                   .others_wait = idle != NULL,
                                   .idle_thread = thread};
  copy_words_not_committed(&facts, &f);
  if (idle) f.related[0].place = other;
  async_fault(copy, &f);
}

// Bulk groups belong to the thread that issued the stores: a wait of another thread covers nothing.
static void report_not_awaited(const struct block *b, const struct bulk_thread *t,
                               const struct async_copy *copy) {
  const struct async_queue *q = b->cluster->async;
  struct fault f;
  struct fault_place last = {0};
  if (t->waited_at) machine_place(&last, b, t->waited_at, copy->thread);
  const struct copy_facts facts = {.bytes = copy->bytes,
                                   .thread = copy->thread,
                                   .waited = t->waited_at != NULL,
                                   .wait_line = last.line,
                                   .idle_thread = q->idle_waits[b->rank].thread};
  copy_words_not_awaited(&facts, &f);
  machine_place(&f.related[0].place, b, q->idle_waits[b->rank].op, q->idle_waits[b->rank].thread);
  async_fault(copy, &f);
}

const struct op *async_idle_wait(const struct block *b) {
  const struct async_queue *q = b->cluster->async;
  const struct bulk_thread *idle = async_thread_if_used(b, q->idle_waits[b->rank].thread);
  if (idle && idle->issued) return NULL;
  return q->idle_waits[b->rank].op;
}

// Not so where the thread came to the same wait before its first store: there all wait for their last store,
// before the next, and nobody has taken another's wait for its own.
static bool by_another(const struct block *b, uint32_t thread) {
  const struct idle_wait *idle = &b->cluster->async->idle_waits[b->rank];
  return idle->thread != thread && !(idle->lanes[thread / WARP_LANES] >> thread % WARP_LANES & 1);
}

// Stores for which their threads didn't wait. order/ reports those that this room can't say more about.
static void report_unread(struct block *b) {
  const struct op *idle = async_idle_wait(b);
  bool uncommitted = false;
  for (uint32_t i = 0; i < b->launch->threads_per_block; i++) {
    const struct bulk_thread *t = async_thread_if_used(b, i);
    struct async_copy *copy = t ? t->unread : NULL;
    if (!t || !copy) continue;
    if (copy->group == t->open_group) {
      const bool others = idle && t->open_group == 0 && by_another(b, copy->thread);
      if (!uncommitted) report_uncommitted(b, t, copy, others ? idle : NULL);
      uncommitted = true;
    } else if (idle && idle != t->waited_at && by_another(b, copy->thread)) {
      report_not_awaited(b, t, copy);
    } else {
      order_block_exit(b, &copy, 1);
    }
  }
}

static void report_left_over(struct mbarrier *m, void *context) {
  const struct block *b = context;
  if (m->tx_count < 0 && m->last_copy_by) mbarrier_fault_left_over(b, m);
}

static void exit_thread(struct block *b, uint32_t thread) {
  const struct bulk_thread *t = async_thread_if_used(b, thread);
  async_cp_land_until(b, thread, UINT64_MAX);
  for (struct async_copy *copy = t ? t->head : NULL, *next; copy; copy = next) {
    next = copy->next;
    if (!copy->source_read) async_stage(b->cluster, copy);
    entry_of(copy)->orphan = true;
  }
}

// Loads into the block, and copies out of it, land while its memory is still there.
static void land_of_block(struct block *b) {
  struct async_queue *q = b->cluster->async;
  for (struct async_copy *copy = q->landing_head, *next; copy; copy = next) {
    next = copy->next;
    bool mine = copy->kind == ASYNC_BULK_CLUSTER || copy->kind == ASYNC_BULK_CLUSTER_REDUCE ? copy->block == b
                                                                                            : false;
    for (uint32_t i = 0; i < copy->destination_count; i++)
      mine |= copy->destination[i] == b;
    if (mine) land(b->cluster, copy);
  }
}

void async_block_exit(struct block *b) {
  if (!b->cluster->async) return;
  // The grid was stopped before its threads came to their waits, and nothing lands any more.
  if (b->cluster->device_error || atomic_load_explicit(&b->launch->device_error, memory_order_relaxed))
    return;
  if (b->bulk_used && b->launch->check) report_unread(b);
  if (b->cluster->async->landing_head) land_of_block(b);
  if (b->launch->check) mbarrier_each(b, report_left_over, b);
  b->cluster->async->idle_waits[b->rank].op = NULL;
  if (!b->bulk_used) return;
  for (uint32_t i = 0; i < b->launch->threads_per_block; i++)
    if (async_thread_if_used(b, i)) exit_thread(b, i);
  async_threads_free(b);
  if (b->cluster->async->ordered_count == 0) async_trim(b->cluster, STAGED_MOST_BYTES);
}

bool async_finish(struct cluster *c) {
  if (!c->async || c->async->staged_count == 0) return true;
  if (c->async->ordered_count > 0 && !cluster_take_turn(c)) return false;
  async_trim(c, 0);
  return true;
}

static void free_list(struct cluster *c, struct async_copy *copy) {
  for (struct async_copy *next; copy; copy = next) {
    next = copy->next;
    async_free(c, copy);
  }
}

void async_cluster_destroy(struct cluster *c) {
  struct async_queue *q = c->async;
  if (!q) return;
  async_trim(c, 0);
  for (uint32_t rank = 0; rank < c->block_count; rank++) { // blocks that a failed launch left behind
    struct block *b = c->blocks[rank];
    if (!b || !b->bulk_used) continue;
    for (uint32_t i = 0; i < c->launch->threads_per_block; i++) {
      const struct bulk_thread *t = async_thread_if_used(b, i);
      free_list(c, t ? t->head : NULL);
      free_list(c, t ? t->cp_head : NULL);
    }
    async_threads_free(b);
  }
  free_list(c, q->landing_head);
  q->landing_head = q->landing_tail = NULL;
  q->landing_count = q->ordered_count = 0;
  q->load_samples = q->load_sum = q->store_samples = q->store_sum = 0; // the next cluster has its own mean
  memset(q->loads_in_flight, 0, sizeof q->loads_in_flight);
  memset(q->stores_in_flight, 0, sizeof q->stores_in_flight);
  memset(q->load_bytes_in_flight, 0, sizeof q->load_bytes_in_flight);
  memset(q->groups_pending, 0, sizeof q->groups_pending);
  memset(q->overlap, 0, sizeof q->overlap);
  memset(q->idle_waits, 0, sizeof q->idle_waits);
}

void async_queue_destroy(struct cluster *c) {
  struct async_queue *q = c->async;
  if (!q) return;
  for (struct async_copy *copy = q->free, *next; copy; copy = next) {
    next = copy->next;
    budget_give(c->launch->budget, BUDGET_COPIES, entry_of(copy)->buffer_bytes);
    free(entry_of(copy)->buffer);
    free(copy);
  }
  free(q->staged);
  free(q);
  c->async = NULL;
}

// ---- diagnosis --------------------------------------------------------------------------------------------

static bool completes_on(const struct async_copy *copy, const struct block *owner, uint32_t mbarrier_offset) {
  if (copy->mbarrier_offset != mbarrier_offset || entry_of(copy)->is_arrival) return false;
  for (uint32_t i = 0; i < copy->destination_count; i++)
    if (copy->destination[i] == owner) return true;
  return false;
}

uint64_t async_pending_bytes(const struct cluster *c, const struct block *owner, uint32_t mbarrier_offset) {
  uint64_t bytes = 0;
  for (const struct async_copy *copy = c->async ? c->async->landing_head : NULL; copy; copy = copy->next)
    if (completes_on(copy, owner, mbarrier_offset)) bytes += copy->bytes;
  return bytes;
}

const struct async_copy *async_pending_copy(const struct block *owner, uint32_t mbarrier_offset) {
  const struct async_queue *q = owner->cluster->async;
  const struct async_copy *last = NULL;
  for (const struct async_copy *copy = q ? q->landing_head : NULL; copy; copy = copy->next)
    if (completes_on(copy, owner, mbarrier_offset)) last = copy;
  return last;
}
