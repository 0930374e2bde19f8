// The state of mbarrier objects, and the operations on it. In: arrivals, announcements and completions. Out:
// phases and faults. One idea: a phase completes at the operation that makes both counts zero, whoever
// performs it (PTX ISA 9.7.13.15.6).
#include "virtual-hopper/async/mbarrier.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/async/internal.h"
#include "virtual-hopper/async/mbarrier-fault.h"
#include "virtual-hopper/machine/tensor-box.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/time/record.h"

// ---- the image in shared memory ---------------------------------------------------------------------------

static uint64_t image_of(const struct mbarrier *m) {
  enum { TX_SHIFT = 20, MARK_SHIFT = 41, EXPECTED_SHIFT = 42, PHASE_SHIFT = 63 };
  return (m->phase & 1) << PHASE_SHIFT | (uint64_t)m->expected_arrivals << EXPECTED_SHIFT |
         1ull << MARK_SHIFT | (uint64_t)((uint32_t)m->tx_count & 0x1fffff) << TX_SHIFT | m->pending_arrivals;
}

static void write_image(const struct block *b, struct mbarrier *m) {
  m->image = image_of(m);
  memcpy(memory_shared(b, m->offset, MBARRIER_BYTES), &m->image, sizeof m->image);
}

static bool image_intact(const struct block *b, const struct mbarrier *m) {
  return memcmp(memory_shared(b, m->offset, MBARRIER_BYTES), &m->image, sizeof m->image) == 0;
}

void mbarrier_overwritten(struct actor by, struct block *owner, uint32_t offset, uint32_t bytes) {
  struct mbarrier *m = mbarrier_overlapped(owner, offset, bytes);
  if (!m) return;
  mbarrier_fault_overwritten(by, owner, m, bytes);
  write_image(owner, m);
}

struct mbarrier *mbarrier_use(struct actor by, struct block *owner, uint32_t offset) {
  struct mbarrier *m = mbarrier_find(owner, offset);
  if (!m || !m->live) {
    mbarrier_fault_unusable(by, owner, m, offset);
    return NULL;
  }
  if (!image_intact(owner, m)) {
    mbarrier_fault_found_overwritten(by, owner, m);
    write_image(owner, m);
  }
  return m;
}

// ---- operations -------------------------------------------------------------------------------------------

bool mbarrier_init(struct actor by, struct block *owner, uint32_t offset, uint32_t count) {
  if (!(count >= 1 && count <= MBARRIER_MAX_COUNT)) {
    mbarrier_fault_count(by, count);
    return false;
  }
  struct mbarrier *m = mbarrier_find_or_make(owner, offset);
  if (m->live) {
    mbarrier_fault_reinit(by, owner, m);
    mbarrier_note_phases(owner, m);
  }
  struct observed *o = &owner->cluster->observed;
  if (o->barriers_initialised++ == 0) o->min_phases = UINT64_MAX; // the first barrier that ends lowers it
  struct mbarrier fresh = {.offset = offset,
                           .expected_arrivals = count,
                           .pending_arrivals = count,
                           .live = m->live,
                           .observed = true,
                           .initialised_by = by.op,
                           .initialised_thread = actor_thread(by),
                           .order = m->order,
                           .next = m->next};
  *m = fresh;
  mbarrier_set_live(owner, m, true);
  write_image(owner, m);
  if (by.w->launch->check) order_mbarrier_init(by, m);
  return true;
}

bool mbarrier_inval(struct actor by, struct block *owner, uint32_t offset) {
  const struct mbarrier *gone = mbarrier_find(owner, offset);
  if (gone && !gone->live) {
    mbarrier_fault_invalidated_twice(by, owner, gone);
    return true;
  }
  struct mbarrier *m = mbarrier_use(by, owner, offset);
  if (!m) return false;
  if (by.w->launch->check) order_mbarrier_inval(by, owner, m);
  mbarrier_note_phases(owner, m);
  mbarrier_set_live(owner, m, false);
  return true;
}

// Completes the phase when its conditions hold.
static void settle(struct block *owner, struct mbarrier *m) {
  if (m->pending_arrivals == 0 && m->tx_count == 0) {
    if (m->copies_pending > 0) async_fault_unannounced(owner, m);
    m->phase++;
    m->pending_arrivals = m->expected_arrivals;
    m->observed = false;
    m->expected_before = m->expected_bytes;
    m->expected_bytes = m->completed_bytes = 0;
    m->arrivals = m->added_arrivals = 0;
    m->arrived_ranks_before = m->arrived_ranks;
    m->arrived_ranks = 0;
    owner->cluster->events++;
    owner->phased = true;
    overlap_phase(owner, m);
    if (owner->launch->check) order_mbarrier_phase(owner, m);
  }
  write_image(owner, m);
}

static void note_arrival(struct mbarrier *m, const struct op *op, const struct block *b, uint32_t thread) {
  m->last_arrive_by = op;
  m->last_arrive_block = b;
  m->last_arrive_thread = thread;
  m->arrived_ranks |= 1u << b->rank;
}

static bool add_tx(struct actor by, struct block *owner, struct mbarrier *m, uint32_t bytes) {
  int64_t tx = (int64_t)m->tx_count + bytes;
  if (tx > MBARRIER_MAX_COUNT) {
    mbarrier_fault_tx(by, owner, m, bytes);
    return false;
  }
  m->tx_count = (int32_t)tx;
  m->expected_bytes += bytes;
  m->last_expect_by = by.op;
  m->last_expect_thread = actor_thread(by);
  return true;
}

bool mbarrier_expect_tx(struct actor by, struct block *owner, uint32_t offset, uint32_t bytes) {
  struct mbarrier *m = mbarrier_use(by, owner, offset);
  if (!m) return false;
  if (m->pending_arrivals == 0 && m->tx_count > 0 &&
      async_pending_bytes(owner->cluster, owner, offset) >= (uint64_t)m->tx_count)
    mbarrier_fault_late_bytes(by, owner, m, bytes);
  if (!add_tx(by, owner, m, bytes)) return false;
  settle(owner, m);
  return true;
}

bool mbarrier_simulate_complete_tx(struct actor by, struct block *owner, uint32_t offset, uint32_t bytes) {
  struct mbarrier *m = mbarrier_use(by, owner, offset);
  if (!m) return false;
  int64_t tx = (int64_t)m->tx_count - bytes;
  if (tx < -MBARRIER_MAX_COUNT) {
    mbarrier_fault_tx(by, owner, m, -(int64_t)bytes);
    return false;
  }
  m->tx_count = (int32_t)tx;
  m->completed_bytes += bytes;
  settle(owner, m);
  return true;
}

static bool arrival_allowed(struct actor by, struct block *owner, struct mbarrier *m,
                            const struct mbarrier_arrival *a) {
  if (!(a->count >= 1 && a->count <= MBARRIER_MAX_COUNT)) {
    mbarrier_fault_count(by, a->count);
    return false;
  }
  // A thread arrives again and has not waited. On a chip the copies of its last arrival have landed by now,
  // most likely. So they land here, too: what the thread does to their data is judged, rather than the number
  // of arrivals.
  if (a->count > m->pending_arrivals && m->arrivals > 0 && m->copies_pending > 0 &&
      m->last_arrive_thread == actor_thread(by) && owner == by.w->block)
    async_land_pending(owner, m->offset);
  // Somebody must see each phase complete before an arrival for the next one (PTX ISA 9.7.13.15.4).
  if (m->phase > 0 && !m->observed && !m->unobserved_reported) {
    m->unobserved_reported = true;
    mbarrier_fault_unobserved(by, owner, m, a->count);
  }
  bool completes = a->count == m->pending_arrivals && (int64_t)m->tx_count + a->expect_bytes == 0;
  if (a->count > m->pending_arrivals || (a->no_complete && completes)) {
    mbarrier_fault_arrivals(by, owner, m, a->count, a->no_complete && completes);
    return false;
  }
  return true;
}

bool mbarrier_arrive(struct actor by, struct block *owner, uint32_t offset, const struct mbarrier_arrival *a,
                     uint64_t *state) {
  struct mbarrier *m = mbarrier_use(by, owner, offset);
  if (!m || !arrival_allowed(by, owner, m, a)) return false;
  if (state) *state = mbarrier_token(m);
  if (a->expect_bytes && !add_tx(by, owner, m, a->expect_bytes)) return false;
  if (by.w->launch->check) order_mbarrier_arrive(by, owner, m, a->count, a->release);
  if (by.w->launch->time) time_mbarrier_arrive(by.w, owner, offset, m->phase, by.op);
  if (a->drop && by.w->launch->check) order_mbarrier_drop(by, owner, m);
  if (a->drop) m->expected_arrivals -= a->count < m->expected_arrivals ? a->count : m->expected_arrivals;
  m->pending_arrivals -= a->count;
  m->arrivals += a->count;
  if (owner != by.w->block) owner->cluster->observed.remote_arrivals++;
  note_arrival(m, by.op, by.w->block, actor_thread(by));
  settle(owner, m);
  return true;
}

void mbarrier_observe(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                      struct mbarrier *m, bool acquire) {
  m->observed = true; // also by a wait for the phase before the first, where there was nothing to see
  m->passed_fresh |= m->phase == 0;
  if (w->launch->time && m->phase > 0) time_mbarrier_pass(w, owner, m->offset, m->phase - 1, op);
  if (w->launch->check) order_mbarrier_observe(w, op, lanes, owner, m, m->phase, acquire);
}

void mbarrier_restore(struct block *owner, uint32_t offset, uint32_t bytes) {
  for (uint32_t at = offset & ~(uint32_t)(MBARRIER_BYTES - 1); at < offset + bytes; at += MBARRIER_BYTES) {
    struct mbarrier *m = mbarrier_find(owner, at);
    if (m && m->live) write_image(owner, m);
  }
}

// ---- what arrives by itself -------------------------------------------------------------------------------

bool mbarrier_owe_arrival(struct actor by, struct block *owner, uint32_t offset) {
  struct mbarrier *m = mbarrier_use(by, owner, offset);
  if (!m) return false;
  if (m->pending_arrivals >= MBARRIER_MAX_COUNT) {
    mbarrier_fault_count(by, m->pending_arrivals + 1);
    return false;
  }
  m->pending_arrivals++;
  m->added_arrivals++;
  write_image(owner, m);
  return true;
}

void mbarrier_deferred_arrive(struct block *owner, uint32_t offset, const struct async_copy *copy) {
  struct mbarrier *m = mbarrier_find(owner, offset);
  if (!m || !m->live || m->pending_arrivals == 0) {
    async_fault_deferred_arrival(copy, owner, m, offset);
    return;
  }
  if (owner->launch->check) order_cp_async_arrived(copy, m);
  m->pending_arrivals--;
  m->arrivals++;
  note_arrival(m, copy->op, copy->block, copy->thread);
  settle(owner, m);
}

static void note_box(struct mbarrier *m, const struct async_copy *copy) {
  m->last_box.rank = copy->box ? copy->box->map.rank : 0;
  if (!copy->box) return;
  memcpy(m->last_box.count, copy->box->map.count, sizeof m->last_box.count);
  m->last_box.bytes = copy->box->map.bytes;
  m->last_box.type = copy->box->map.type;
}

void mbarrier_complete_tx(struct block *owner, uint32_t offset, uint32_t bytes,
                          const struct async_copy *copy) {
  struct mbarrier *m = mbarrier_find(owner, offset);
  if (!m || !m->live) {
    async_fault_no_barrier(copy, owner, m, offset);
    return;
  }
  if (copy->unready) order_copy_completes(copy, owner, m);
  if (m->copies_pending > 0) m->copies_pending--;
  int64_t tx = (int64_t)m->tx_count - bytes;
  if (tx < -MBARRIER_MAX_COUNT) {
    async_fault_tx(copy, owner, m, bytes);
    return;
  }
  m->tx_count = (int32_t)tx;
  m->completed_bytes += bytes;
  if (m->last_copy_phase != m->phase)
    m->other_copy.by = NULL;
  else if (m->last_copy_by && m->last_copy_by != copy->op) {
    m->other_copy.by = m->last_copy_by;
    m->other_copy.block = m->last_copy_block;
    m->other_copy.thread = m->last_copy_thread;
  }
  m->last_copy_phase = m->phase;
  m->last_copy_by = copy->op;
  m->last_copy_block = copy->block;
  m->last_copy_thread = copy->thread;
  if (copy->block != owner) {
    m->peer_copy.by = copy->op;
    m->peer_copy.block = copy->block;
    m->peer_copy.thread = copy->thread;
    m->peer_copy.phase = m->phase;
  }
  note_box(m, copy);
  settle(owner, m);
}
