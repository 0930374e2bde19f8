// Groups of each thread. In: commits and waits. Out: the groups' copies read and write. PTX ISA 9.7.9.25.1.1,
// 9.7.9.25.3, 9.7.9.25.4. One idea: a wait itself carries out what it waits for, and nothing else. So no
// thread sleeps on a group.
#include "virtual-hopper/async/internal.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/async/mbarrier-fault.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/time/record.h"

enum { WAIT_BATCH = 32 };

struct bulk_thread *async_thread(struct block *b, uint32_t thread) {
  struct bulk_thread **warp = &b->bulk[thread / WARP_LANES];
  async_queue_of(b->cluster);
  if (!*warp) *warp = calloc(WARP_LANES, sizeof **warp);
  if (!*warp) die("out of memory for a warp's bulk groups");
  b->bulk_used = true;
  return &(*warp)[thread % WARP_LANES];
}

void async_threads_free(struct block *b) {
  for (uint32_t i = 0; i < b->warp_count; i++) {
    free(b->bulk[i]);
    b->bulk[i] = NULL;
  }
  b->bulk_used = false;
}

static void append(struct async_copy **head, struct async_copy **tail, struct async_copy *copy) {
  copy->next = NULL;
  copy->previous = *tail;
  *(*tail ? &(*tail)->next : head) = copy;
  *tail = copy;
}

static void detach(struct async_copy **head, struct async_copy **tail, struct async_copy *copy) {
  *(copy->previous ? &copy->previous->next : head) = copy->next;
  *(copy->next ? &copy->next->previous : tail) = copy->previous;
}

void async_thread_append(struct bulk_thread *t, struct async_copy *copy) {
  if (copy->kind == ASYNC_CP_ASYNC) {
    copy->group = t->cp_open_group;
    entry_of(copy)->cp_sequence = ++t->cp_sequence;
    append(&t->cp_head, &t->cp_tail, copy);
    return;
  }
  copy->group = t->open_group;
  t->open_used = t->issued = true;
  append(&t->head, &t->tail, copy);
  if (!t->unread) t->unread = copy;
}

void async_thread_remove(struct bulk_thread *t, struct async_copy *copy) {
  if (t->unread == copy) t->unread = copy->next;
  detach(&t->head, &t->tail, copy);
}

// ---- staged copies ----------------------------------------------------------------------------------------

void async_stage(struct cluster *c, struct async_copy *copy) {
  struct async_queue *q = c->async;
  struct async_entry *e = entry_of(copy);
  async_read_source(copy);
  if (q->staged_count == q->staged_room) {
    q->staged_room = q->staged_room ? q->staged_room * 2 : 64;
    q->staged = realloc(q->staged, q->staged_room * sizeof *q->staged);
    if (!q->staged) die("out of memory for the table of staged stores");
  }
  e->staged_index = q->staged_count;
  q->staged[q->staged_count++] = e;
  q->staged_bytes += e->staged_bytes;
}

void async_unstage(struct async_queue *q, struct async_copy *copy) {
  struct async_entry *e = entry_of(copy);
  if (!e->staged) return;
  struct async_entry *last = q->staged[--q->staged_count];
  q->staged[e->staged_index] = last;
  last->staged_index = e->staged_index;
  q->staged_bytes -= e->staged_bytes;
}

static void free_written(struct cluster *c, struct async_copy *copy) {
  async_unstage(c->async, copy);
  if (!entry_of(copy)->orphan) async_thread_remove(async_thread(copy->block, copy->thread), copy);
  async_free(c, copy);
}

static void write_and_free(struct cluster *c, struct async_copy *copy) {
  async_write(c, copy);
  free_written(c, copy);
}

void async_trim(struct cluster *c, size_t most_bytes) {
  struct async_queue *q = c->async;
  while (q->staged_count > 0 && (most_bytes == 0 || q->staged_bytes > most_bytes))
    write_and_free(c, &q->staged[machine_random(&c->random) % q->staged_count]->copy);
}

// ---- bulk groups ------------------------------------------------------------------------------------------

void async_bulk_commit(struct warp *w) {
  struct observed *o = &w->block->cluster->observed;
  for (uint32_t lanes = w->lanes; lanes; lanes &= lanes - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    struct bulk_thread *t = async_thread(w->block, warp_thread(w, lane));
    if (w->launch->check) order_note_group_commit(w, lane);
    t->open_group++;
    if (!t->open_used) continue; // an empty group is trivially complete
    t->open_used = false;
    t->groups_pending++;
    w->block->cluster->async->groups_pending[w->block->rank]++;
    if (t->groups_pending > o->max_groups_pending) o->max_groups_pending = t->groups_pending;
  }
}

// The number of groups before `end` that no earlier wait has covered.
static uint32_t note_waited(struct bulk_thread *t, uint64_t end) {
  uint64_t last = UINT64_MAX;
  uint32_t pending = t->groups_pending;
  for (const struct async_copy *copy = t->unread; copy && copy->group < end; copy = copy->next) {
    if (copy->group != last && t->groups_pending > 0) t->groups_pending--;
    last = copy->group;
    overlap_wait(copy->block->cluster, copy->block->rank, copy->bytes);
  }
  return pending - t->groups_pending;
}

static void wait_for_reads(struct warp *w, uint32_t lane, struct bulk_thread *t, uint64_t end) {
  struct async_copy *batch[WAIT_BATCH];
  uint32_t count = 0;
  while (t->unread && t->unread->group < end) {
    struct async_copy *copy = t->unread;
    async_stage(w->block->cluster, copy);
    t->unread = copy->next;
    batch[count++] = copy;
    if (count < WAIT_BATCH && t->unread && t->unread->group < end) continue;
    if (w->launch->check) order_group_wait(w, lane, batch, count, true);
    count = 0;
  }
}

// Copies are told to be complete when all their bytes are there: who works on another block may compare them.
static void wait_for_writes(struct warp *w, uint32_t lane, struct bulk_thread *t, uint64_t end) {
  struct async_copy *batch[WAIT_BATCH];
  while (t->head && t->head->group < end) {
    uint32_t count = 0;
    for (struct async_copy *copy = t->head; copy && copy->group < end && count < WAIT_BATCH;
         copy = copy->next)
      batch[count++] = copy;
    for (uint32_t i = 0; i < count; i++)
      async_write(w->block->cluster, batch[i]);
    if (w->launch->check) order_group_wait(w, lane, batch, count, false);
    for (uint32_t i = 0; i < count; i++)
      free_written(w->block->cluster, batch[i]);
  }
}

// Notes a thread that waits but has issued nothing: another thread may issue and never wait. Who waits for
// his last store before he issues the next begins with such a wait, so a thread that has issued since is
// forgotten.
static void note_idle_wait(const struct warp *w, const struct op *op, uint32_t lanes) {
  struct idle_wait *idle = &async_queue_of(w->block->cluster)->idle_waits[w->block->rank];
  const uint32_t thread = warp_thread(w, (uint32_t)__builtin_ctz(lanes));
  if (!async_idle_wait(w->block)) *idle = (struct idle_wait){.op = op, .thread = thread};
  if (idle->op == op) idle->lanes[thread / WARP_LANES] |= lanes;
}

bool async_bulk_wait(struct warp *w, const struct op *op, uint32_t newest, bool read_only) {
  struct cluster *c = w->block->cluster;
  if (!w->block->bulk_used) {
    note_idle_wait(w, op, w->lanes);
    return true;
  }
  bool writes = !read_only || c->async->staged_bytes > STAGED_MOST_BYTES;
  if (writes && c->async->ordered_count > 0 && !warp_take_turn(w)) return false;
  uint32_t *pending = &c->async->groups_pending[w->block->rank], before = *pending;
  for (uint32_t lanes = w->lanes; lanes; lanes &= lanes - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    struct bulk_thread *t = async_thread(w->block, warp_thread(w, lane));
    uint64_t end = t->open_group > newest ? t->open_group - newest : 0;
    *pending -= note_waited(t, end);
    if (!t->issued) note_idle_wait(w, op, 1u << lane);
    t->waited_at = op;
    if (w->launch->check) order_note_group_wait(w, op, lane, newest);
    if (w->launch->time) time_wait_stores(w, warp_thread(w, lane), end, read_only, op);
    if (read_only)
      wait_for_reads(w, lane, t, end);
    else
      wait_for_writes(w, lane, t, end);
  }
  if (*pending > 0 && *pending < before) {
    c->observed.waits_leaving_groups++;
    c->observed.read_waits_leaving_groups += read_only;
  }
  if (writes) async_trim(c, STAGED_MOST_BYTES);
  return true;
}

// ---- cp.async ---------------------------------------------------------------------------------------------

static void cp_land(struct block *b, struct async_copy *copy) {
  uint8_t *shared = memory_shared(b, copy->shared_offset, copy->bytes);
  if (copy->source_bytes && !async_is_live(copy)) {
    async_fault_freed(copy);
    copy->source_bytes = 0;
  }
  if (copy->source_bytes) memcpy(shared, entry_of(copy)->host, copy->source_bytes);
  memset(shared + copy->source_bytes, 0, copy->bytes - copy->source_bytes);
  copy->source_read = copy->written = true;
}

void async_cp_land_until(struct block *b, uint32_t thread, uint64_t sequence) {
  struct bulk_thread *t = async_thread_if_used(b, thread);
  while (t && t->cp_head && entry_of(t->cp_head)->cp_sequence <= sequence) {
    struct async_copy *copy = t->cp_head;
    cp_land(b, copy);
    detach(&t->cp_head, &t->cp_tail, copy);
    async_free(b->cluster, copy);
  }
}

void async_cp_commit(struct warp *w) {
  for (uint32_t lanes = w->lanes; lanes; lanes &= lanes - 1)
    async_thread(w->block, warp_thread(w, (uint32_t)__builtin_ctz(lanes)))->cp_open_group++;
  if (w->launch->time) time_cp_commit(w);
}

void async_cp_wait(struct warp *w, const struct op *op, uint32_t newest) {
  if (!w->block->bulk_used) return;
  if (newest == UINT32_MAX) async_cp_commit(w);
  if (w->launch->time) time_cp_wait(w, newest == UINT32_MAX ? 0 : newest, op);
  for (uint32_t lanes = w->lanes; lanes; lanes &= lanes - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    struct bulk_thread *t = async_thread(w->block, warp_thread(w, lane));
    if (w->launch->check) order_note_cp_async_wait(w, op, lane, newest == UINT32_MAX ? 0 : newest);
    uint64_t pending = newest == UINT32_MAX ? 0 : newest,
             end = t->cp_open_group > pending ? t->cp_open_group - pending : 0;
    while (t->cp_head && t->cp_head->group < end) {
      struct async_copy *copy = t->cp_head;
      if (w->launch->check) order_group_wait(w, lane, &copy, 1, false);
      async_cp_land_until(w->block, copy->thread, entry_of(copy)->cp_sequence);
    }
  }
}
