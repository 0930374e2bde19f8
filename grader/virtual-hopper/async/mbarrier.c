// The state of mbarrier objects and the operations on it. In: arrivals, announcements and completions; out: phases and faults.
// One idea: a phase completes at the operation that makes both counts zero, whoever performs it (PTX ISA 9.7.13.15.6).
#include "virtual-hopper/mbarrier.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/async.h"
#include "virtual-hopper/mbarrier-fault.h"
#include "virtual-hopper/memory.h"
#include "virtual-hopper/order/order.h"
#include "virtual-hopper/tensor-box.h"

// ---- the table ----------------------------------------------------------------------------------------------------------------

static uint32_t bucket_of(uint32_t offset) {
  return offset / MBARRIER_BYTES % MBARRIER_BUCKETS;
}

void mbarrier_table_create(struct block *b) {
  b->mbarriers = calloc(1, sizeof *b->mbarriers);
  if (!b->mbarriers) die("out of memory for a block's barriers");
}

static void note_phases(struct block *b, const struct mbarrier *m) {
  struct observed *o = &b->cluster->observed;
  if (m->phase > o->max_phases) o->max_phases = m->phase;
  if (m->phase < o->min_phases) o->min_phases = m->phase;
}

void mbarrier_table_destroy(struct block *b) {
  struct mbarrier_table *t = b->mbarriers;
  if (!t) return;
  for (uint32_t i = 0; i < MBARRIER_BUCKETS; i++) {
    for (struct mbarrier *m = t->buckets[i], *next; m; m = next) {
      next = m->next;
      if (m->live) note_phases(b, m);
      free(m);
    }
  }
  free(t->live);
  free(t);
  b->mbarriers = NULL;
}

struct mbarrier *mbarrier_find(const struct block *b, uint32_t offset) {
  if (!b->mbarriers) return NULL;
  struct mbarrier *m = b->mbarriers->buckets[bucket_of(offset)];
  while (m && m->offset != offset)
    m = m->next;
  return m;
}

static struct mbarrier *find_or_make(struct block *b, uint32_t offset) {
  struct mbarrier *m = mbarrier_find(b, offset);
  if (m) return m;
  if (!b->mbarriers) mbarrier_table_create(b);
  struct mbarrier_table *t = b->mbarriers;
  if (!t->live) t->live = calloc(b->launch->shared_bytes / (MBARRIER_BYTES * 64) + 1, sizeof *t->live);
  m = calloc(1, sizeof *m);
  if (!m || !t->live) die("out of memory for a barrier's record");
  m->offset = offset;
  m->next = t->buckets[bucket_of(offset)];
  t->buckets[bucket_of(offset)] = m;
  t->count++;
  return m;
}

static void set_live(struct block *b, struct mbarrier *m, bool live) {
  struct mbarrier_table *t = b->mbarriers;
  uint32_t bit = (m->offset - SHARED_FIRST_OFFSET) / MBARRIER_BYTES;
  if (live)
    t->live[bit / 64] |= 1ull << bit % 64;
  else
    t->live[bit / 64] &= ~(1ull << bit % 64);
  if (live != m->live) t->live_count += live ? 1 : -1u;
  m->live = live;
}

void mbarrier_each(struct block *b, void (*visit)(struct mbarrier *, void *), void *context) {
  struct mbarrier_table *t = b->mbarriers;
  if (!t || !t->live) return;
  for (uint32_t word = 0; word <= b->launch->shared_bytes / (MBARRIER_BYTES * 64); word++) {
    for (uint64_t bits = t->live[word]; bits; bits &= bits - 1) {
      uint32_t bit = word * 64 + (uint32_t)__builtin_ctzll(bits);
      visit(mbarrier_find(b, SHARED_FIRST_OFFSET + bit * MBARRIER_BYTES), context);
    }
  }
}

struct mbarrier *mbarrier_overlapped(const struct block *b, uint32_t offset, uint32_t bytes) {
  if (!mbarrier_may_overlap(b, offset, bytes)) return NULL;
  uint32_t at = offset & ~(uint32_t)(MBARRIER_BYTES - 1);
  for (; at < offset + bytes; at += MBARRIER_BYTES) {
    struct mbarrier *m = mbarrier_find(b, at);
    if (m && m->live) return m;
  }
  return NULL;
}

// ---- the image in shared memory -------------------------------------------------------------------------------------------------

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

void mbarrier_overwritten(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                          uint32_t offset, uint32_t bytes) {
  struct mbarrier *m = mbarrier_overlapped(owner, offset, bytes);
  if (!m) return;
  mbarrier_fault_overwritten(w, op, lane, owner, m, bytes);
  write_image(owner, m);
}

struct mbarrier *mbarrier_use(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                              uint32_t offset) {
  struct mbarrier *m = mbarrier_find(owner, offset);
  if (!m || !m->live) {
    mbarrier_fault_unusable(w, op, lane, owner, m, offset);
    return NULL;
  }
  if (!image_intact(owner, m)) {
    mbarrier_fault_found_overwritten(w, op, lane, owner, m);
    write_image(owner, m);
  }
  return m;
}

// ---- operations -----------------------------------------------------------------------------------------------------------------

bool mbarrier_init(struct warp *w, const struct op *op, uint32_t lane, struct block *owner, uint32_t offset,
                   uint32_t count) {
  if (!(count >= 1 && count <= MBARRIER_MAX_COUNT)) {
    mbarrier_fault_count(w, op, lane, count);
    return false;
  }
  struct mbarrier *m = find_or_make(owner, offset);
  if (m->live) {
    mbarrier_fault_reinit(w, op, lane, owner, m);
    note_phases(owner, m);
  }
  struct observed *o = &owner->cluster->observed;
  if (o->barriers_initialised++ == 0) o->min_phases = UINT64_MAX; // the first barrier that ends lowers it
  struct mbarrier fresh = {.offset = offset,
                           .expected_arrivals = count,
                           .pending_arrivals = count,
                           .live = m->live,
                           .observed = true,
                           .initialised_by = op,
                           .initialised_thread = warp_thread(w, lane),
                           .order = m->order,
                           .next = m->next};
  *m = fresh;
  set_live(owner, m, true);
  write_image(owner, m);
  if (w->launch->check) order_mbarrier_init(w, op, lane, m);
  return true;
}

bool mbarrier_inval(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                    uint32_t offset) {
  struct mbarrier *m = mbarrier_use(w, op, lane, owner, offset);
  if (!m) return false;
  if (w->launch->check) order_mbarrier_inval(w, op, lane, owner, m);
  note_phases(owner, m);
  set_live(owner, m, false);
  return true;
}

// Completes the phase when its conditions hold.
static void settle(struct block *owner, struct mbarrier *m) {
  if (m->pending_arrivals == 0 && m->tx_count == 0) {
    if (m->copies_pending > 0) async_fault_unannounced(owner, m);
    m->phase++;
    m->pending_arrivals = m->expected_arrivals;
    m->observed = false;
    m->expected_bytes = m->completed_bytes = 0;
    m->arrivals = 0;
    owner->cluster->events++;
    if (owner->launch->check) order_mbarrier_phase(owner, m);
  }
  write_image(owner, m);
}

static bool add_tx(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                   struct mbarrier *m, uint32_t bytes) {
  int64_t tx = (int64_t)m->tx_count + bytes;
  if (tx > MBARRIER_MAX_COUNT) {
    mbarrier_fault_tx(w, op, lane, owner, m, bytes);
    return false;
  }
  m->tx_count = (int32_t)tx;
  m->expected_bytes += bytes;
  m->last_expect_by = op;
  m->last_expect_thread = warp_thread(w, lane);
  return true;
}

bool mbarrier_expect_tx(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                        uint32_t offset, uint32_t bytes) {
  struct mbarrier *m = mbarrier_use(w, op, lane, owner, offset);
  if (!m || !add_tx(w, op, lane, owner, m, bytes)) return false;
  settle(owner, m);
  return true;
}

bool mbarrier_simulate_complete_tx(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                                   uint32_t offset, uint32_t bytes) {
  struct mbarrier *m = mbarrier_use(w, op, lane, owner, offset);
  if (!m) return false;
  int64_t tx = (int64_t)m->tx_count - bytes;
  if (tx < -MBARRIER_MAX_COUNT) {
    mbarrier_fault_tx(w, op, lane, owner, m, -(int64_t)bytes);
    return false;
  }
  m->tx_count = (int32_t)tx;
  m->completed_bytes += bytes;
  settle(owner, m);
  return true;
}

static bool arrival_allowed(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                            struct mbarrier *m, const struct mbarrier_arrival *a) {
  if (!(a->count >= 1 && a->count <= MBARRIER_MAX_COUNT)) {
    mbarrier_fault_count(w, op, lane, a->count);
    return false;
  }
  // A thread that comes round again without having waited: on a chip the copies of its last arrival have landed by now, most likely.
  // So they land, and what it does next to their data is judged, rather than the number of arrivals.
  if (a->count > m->pending_arrivals && m->arrivals > 0 && m->copies_pending > 0 &&
      m->last_arrive_thread == warp_thread(w, lane) && owner == w->block)
    async_land_pending(owner, m->offset);
  // For each phase somebody must have seen it complete before an arrival of the next one (PTX ISA 9.7.13.15.4).
  if (m->phase > 0 && !m->observed && !m->unobserved_reported) {
    m->unobserved_reported = true;
    mbarrier_fault_unobserved(w, op, lane, owner, m);
  }
  bool completes = a->count == m->pending_arrivals && (int64_t)m->tx_count + a->expect_bytes == 0;
  if (a->count > m->pending_arrivals || (a->no_complete && completes)) {
    mbarrier_fault_arrivals(w, op, lane, owner, m, a->count, a->no_complete && completes);
    return false;
  }
  return true;
}

bool mbarrier_arrive(struct warp *w, const struct op *op, uint32_t lane, struct block *owner, uint32_t offset,
                     const struct mbarrier_arrival *a, uint64_t *state) {
  struct mbarrier *m = mbarrier_use(w, op, lane, owner, offset);
  if (!m || !arrival_allowed(w, op, lane, owner, m, a)) return false;
  if (state) *state = mbarrier_token(m);
  if (a->expect_bytes && !add_tx(w, op, lane, owner, m, a->expect_bytes)) return false;
  if (w->launch->check) order_mbarrier_arrive(w, op, lane, owner, m, a->release);
  if (a->drop) m->expected_arrivals -= a->count < m->expected_arrivals ? a->count : m->expected_arrivals;
  m->pending_arrivals -= a->count;
  m->arrivals += a->count;
  m->last_arrive_by = op;
  m->last_arrive_thread = warp_thread(w, lane);
  settle(owner, m);
  return true;
}

void mbarrier_observe(struct warp *w, const struct op *op, uint32_t lanes, struct block *owner,
                      struct mbarrier *m, bool acquire) {
  m->observed =
      true; // a fresh barrier's phase -1 passes for parity 1: nothing was there to be seen, nothing changes
  m->passed_fresh |= m->phase == 0;
  if (w->launch->check) order_mbarrier_observe(w, op, lanes, owner, m, m->phase, acquire);
}

void mbarrier_restore(struct block *owner, uint32_t offset, uint32_t bytes) {
  for (uint32_t at = offset & ~(uint32_t)(MBARRIER_BYTES - 1); at < offset + bytes; at += MBARRIER_BYTES) {
    struct mbarrier *m = mbarrier_find(owner, at);
    if (m && m->live) write_image(owner, m);
  }
}

// ---- what arrives by itself -----------------------------------------------------------------------------------------------------

bool mbarrier_owe_arrival(struct warp *w, const struct op *op, uint32_t lane, struct block *owner,
                          uint32_t offset) {
  struct mbarrier *m = mbarrier_use(w, op, lane, owner, offset);
  if (!m) return false;
  if (m->pending_arrivals >= MBARRIER_MAX_COUNT) {
    mbarrier_fault_count(w, op, lane, m->pending_arrivals + 1);
    return false;
  }
  m->pending_arrivals++;
  write_image(owner, m);
  return true;
}

void mbarrier_deferred_arrive(struct block *owner, uint32_t offset, const struct async_copy *copy) {
  struct mbarrier *m = mbarrier_find(owner, offset);
  if (!m || !m->live || m->pending_arrivals == 0) {
    async_fault_deferred_arrival(copy, owner, m, offset);
    return;
  }
  m->pending_arrivals--;
  m->arrivals++;
  m->last_arrive_by = copy->op;
  m->last_arrive_thread = copy->thread;
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
  if (m->copies_pending > 0) m->copies_pending--;
  int64_t tx = (int64_t)m->tx_count - bytes;
  if (tx < -MBARRIER_MAX_COUNT) {
    async_fault_tx(copy, owner, m, bytes);
    return;
  }
  m->tx_count = (int32_t)tx;
  m->completed_bytes += bytes;
  m->last_copy_by = copy->op;
  m->last_copy_block = copy->block;
  m->last_copy_thread = copy->thread;
  note_box(m, copy);
  settle(owner, m);
}
