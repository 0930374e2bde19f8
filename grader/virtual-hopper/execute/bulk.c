// Bulk copies without a tensor map, their groups and prefetch, st.async and red.async. At issue, every rule
// of the instruction is checked; then the copy is in flight (async.h). PTX ISA 9.7.9.25.4, 9.7.9.12,
// 9.7.13.7.
#include "virtual-hopper/execute/bulk.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/execute/memory.h"
#include "virtual-hopper/machine/shared-name.h"

enum { BULK_UNIT = 16 };

bool async_is_to_global(enum async_kind kind) {
  return kind == ASYNC_BULK_STORE || kind == ASYNC_BULK_REDUCE;
}

// ---- checks -----------------------------------------------------------------------------------------------

// The likeliest mistake: the program gave a number of elements, not of bytes. Returns the likely size of an
// element: the most common size that makes the copy a whole number of units.
static uint32_t likely_element(uint32_t count) {
  static const uint32_t sizes[] = {4, 2, 8, BULK_UNIT};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if ((uint64_t)count * sizes[i] % BULK_UNIT == 0) return sizes[i];
  return BULK_UNIT;
}

// Finds the most bytes that the copy could move. *shared: from its address to the end of the buffer in shared
// memory; UINT64_MAX when the address is generic. *global: from its address to the end of the allocation; 0
// when there is no allocation.
static void copy_room(const struct warp *w, uint32_t lane, const struct bulk_extra *x, uint64_t *shared,
                      uint64_t *global) {
  bool load = x->kind == ASYNC_BULK_LOAD;
  const struct async_address *inside = load ? &x->destination : &x->source;
  uint64_t address = async_address_of(w, load ? &x->source : &x->destination, lane);
  const struct memory_allocation *a = memory_find(w->launch->memory, address);
  *global = a ? a->address + a->bytes - address : 0;
  *shared =
      inside->shared ? shared_room_at(w->launch, (uint32_t)async_address_of(w, inside, lane)) : UINT64_MAX;
}

// x is NULL for a prefetch, which has only one address.
static bool size_allowed(struct warp *w, const struct op *op, uint32_t lane, const struct bulk_extra *x,
                         uint32_t bytes) {
  if (bytes % BULK_UNIT == 0) return true;
  struct fault f = {.rule = RULE_BULK_SIZE, .severity = FAULT_FATAL, .device_error = ERROR_LAUNCH_TIMEOUT};
  snprintf(f.role, sizeof f.role, "copies %u bytes", bytes);
  snprintf(
      f.message, sizeof f.message,
      "The copy has %u bytes, %u more than a multiple of 16. On an H100 it hangs, or the data are wrong.",
      bytes, bytes % BULK_UNIT);
  uint32_t element = likely_element(bytes), rest = bytes % BULK_UNIT;
  uint64_t meant = (uint64_t)bytes * element, shared = UINT64_MAX, global = 0;
  if (x) copy_room(w, lane, x, &shared, &global);
  bool elements = meant <= shared, count = elements && meant == global;
  size_t used = 0;
  char larger[48] = ""; // when 8-byte elements fit, 16-byte ones (float4) fit, too
  if (element == 8 && !count)
    snprintf(larger, sizeof larger, ", of 16 bytes %llu", 2 * (unsigned long long)meant);
  if (elements)
    used = (size_t)snprintf(
        f.remedy, sizeof f.remedy,
        "Is %u a number of elements? The size counts bytes: %u elements of %u bytes are %llu%s%s.%s", bytes,
        bytes, element, (unsigned long long)meant, larger,
        count ? ", which is just what is left to copy" : "", count ? "" : " If it is a number of bytes, c");
  if (!count)
    snprintf(f.remedy + used, sizeof f.remedy - used,
             "%sopy %u in bulk and the last %u with ordinary loads and stores.", used ? "" : "C",
             bytes - rest, rest);
  warp_fault(w, op, lane, &f);
  return false;
}

// A multicast that leaves a block out, its own or another, or that goes to its own alone, is right where
// others deliver, or get nothing. If too few bytes come, it is the likely reason.
static void note_left_out(struct warp *w, const struct op *op, uint32_t lane, uint32_t offset,
                          uint32_t mask) {
  const struct cluster *c = w->block->cluster;
  for (uint32_t rank = 0; rank < c->block_count; rank++) {
    const bool own = rank == w->block->rank, alone = mask == 1u << rank;
    struct mbarrier *m =
        !(mask >> rank & 1) || (own && alone) ? mbarrier_find(c->blocks[rank], offset) : NULL;
    if (!m || (!own && m->left_out.by && m->left_out.block == c->blocks[rank])) continue;
    m->left_out.by = op;
    m->left_out.block = w->block;
    m->left_out.phase = m->phase;
    m->left_out.thread = warp_thread(w, lane);
    m->left_out.mask = mask;
  }
}

bool async_destinations(struct warp *w, const struct op *op, uint32_t lane, struct async_copy *copy,
                        const struct async_shared *to, const struct async_shared *barrier,
                        const uint32_t *mask) {
  copy->shared_offset = to->offset;
  copy->mbarrier_offset = barrier->offset;
  if (!mask) {
    copy->destination[0] = to->owner;
    copy->destination_count = 1;
    if (to->owner == barrier->owner) return true;
    async_faultf(
        w, op, lane, RULE_ILLEGAL_INSTRUCTION, ERROR_ILLEGAL_INSTRUCTION, "issues a copy within the cluster",
        "The copy goes to block %u of the cluster and its barrier is in block %u: both must be in the same "
        "block.",
        to->owner->rank, barrier->owner->rank);
    return false;
  }
  const struct cluster *c = w->block->cluster;
  if ((*mask & 0xffffu) >> c->block_count) {
    async_faultf(w, op, lane, RULE_ILLEGAL_INSTRUCTION, ERROR_ILLEGAL_INSTRUCTION,
                 "issues a copy within the cluster",
                 "The multicast mask 0x%x names blocks that a cluster of %u doesn't have.", *mask & 0xffffu,
                 c->block_count);
    return false;
  }
  for (uint32_t rank = 0; rank < c->block_count; rank++)
    if (*mask >> rank & 1) copy->destination[copy->destination_count++] = c->blocks[rank];
  const uint32_t all = *mask & 0xffffu;
  if (all != (1u << c->block_count) - 1) note_left_out(w, op, lane, barrier->offset, all);
  return true;
}

void async_report_overlaps(struct warp *w, const struct op *op, uint32_t lane,
                           const struct async_copy *copy) {
  for (uint32_t i = 0; i < copy->destination_count; i++) {
    struct block *to = copy->destination[i];
    if (mbarrier_may_overlap(to, copy->shared_offset, copy->footprint))
      mbarrier_overwritten(actor_of(w, op, lane), to, copy->shared_offset, copy->footprint);
  }
}

// ---- execution --------------------------------------------------------------------------------------------

// Reports a copy with destination and source exchanged. When the compiler expects a pointer to one memory and
// the pointer leads to the other, the instruction gets a null address, or the lower half of the pointer.
static bool changed_places(struct warp *w, const struct op *op, uint32_t lane, const struct bulk_extra *x) {
  bool load = x->kind == ASYNC_BULK_LOAD;
  const struct async_address *inside = load ? &x->destination : &x->source;
  uint64_t shared = async_address_of(w, inside, lane);
  uint64_t global = async_address_of(w, load ? &x->source : &x->destination, lane);
  const bool elsewhere = global - SHARED_WINDOW < WINDOW_BYTES || memory_is_no_place(w, global);
  if (!elsewhere || memory_resolve(w, lane, inside->shared ? SHARED_WINDOW + shared : shared, 1).host)
    return false;
  struct fault f = {
      .rule = RULE_OUT_OF_BOUNDS, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_ADDRESS};
  snprintf(f.role, sizeof f.role, "copies from %s",
           load ? "global memory to shared memory" : "shared memory to global memory");
  snprintf(f.message, sizeof f.message,
           "The %s of the bulk copy, 0x%llx, is not in global memory, and its %s, 0x%llx, is not in shared "
           "memory.",
           load ? "source" : "destination", (unsigned long long)global, load ? "destination" : "source",
           (unsigned long long)shared);
  snprintf(f.remedy, sizeof f.remedy, "%s", ASYNC_TURNED_REMEDY);
  warp_fault(w, op, lane, &f);
  return true;
}

static bool issue_load(struct warp *w, const struct op *op, uint32_t lane, const struct bulk_extra *x,
                       uint32_t bytes) {
  struct async_shared to, barrier;
  uint64_t address = async_address_of(w, &x->source, lane);
  if (changed_places(w, op, lane, x)) return false;
  uint8_t *host = async_global_at(w, op, lane, address, bytes, BULK_UNIT, "The source of the bulk copy");
  if (!host ||
      !async_shared_at(w, op, lane, &x->destination, bytes, BULK_UNIT, "The destination of the bulk copy",
                       &to) ||
      !async_barrier_at(w, op, lane, &x->barrier, false, &barrier))
    return false;
  struct async_copy *copy = async_new(actor_of(w, op, lane), ASYNC_BULK_LOAD);
  copy->bytes = copy->footprint = bytes;
  copy->global_address = address;
  uint32_t mask = x->mask == OP_NO_REGISTER ? 0 : async_value32(w, x->mask, lane);
  if (!async_destinations(w, op, lane, copy, &to, &barrier, x->mask == OP_NO_REGISTER ? NULL : &mask)) {
    async_drop(copy);
    return false;
  }
  async_report_overlaps(w, op, lane, copy);
  async_issue(w, lane, copy, host);
  return true;
}

static bool own_source(struct warp *w, const struct op *op, uint32_t lane, const struct async_shared *from) {
  if (from->owner == w->block) return true;
  async_faultf(
      w, op, lane, RULE_ILLEGAL_INSTRUCTION, ERROR_ILLEGAL_INSTRUCTION, "issues a copy within the cluster",
      "The source lies in block %u of the cluster: it must be in the shared memory of the issuing block, %u.",
      from->owner->rank, w->block->rank);
  return false;
}

static bool issue_store(struct warp *w, const struct op *op, uint32_t lane, const struct bulk_extra *x,
                        uint32_t bytes) {
  struct async_shared from;
  uint64_t address = async_address_of(w, &x->destination, lane);
  if (changed_places(w, op, lane, x)) return false;
  uint8_t *host = async_global_at(w, op, lane, address, bytes, BULK_UNIT, "The destination of the bulk copy");
  if (!host ||
      !async_shared_at(w, op, lane, &x->source, bytes, BULK_UNIT, "The source of the bulk copy", &from) ||
      !own_source(w, op, lane, &from))
    return false;
  struct async_copy *copy = async_new(actor_of(w, op, lane), x->kind);
  copy->bytes = copy->footprint = bytes;
  copy->global_address = address;
  copy->shared_offset = from.offset;
  copy->operation = x->operation;
  copy->element = x->element;
  async_issue(w, lane, copy, host);
  return true;
}

static bool issue_cluster(struct warp *w, const struct op *op, uint32_t lane, const struct bulk_extra *x,
                          uint32_t bytes) {
  struct async_shared from, to, barrier;
  if (!async_shared_at(w, op, lane, &x->source, bytes, BULK_UNIT, "The source of the bulk copy", &from) ||
      !own_source(w, op, lane, &from) ||
      !async_shared_at(w, op, lane, &x->destination, bytes, BULK_UNIT, "The destination of the bulk copy",
                       &to) ||
      !async_barrier_at(w, op, lane, &x->barrier, false, &barrier))
    return false;
  struct async_copy *copy = async_new(actor_of(w, op, lane), x->kind);
  copy->bytes = copy->footprint = bytes;
  copy->source_offset = from.offset;
  copy->operation = x->operation;
  copy->element = x->element;
  if (!async_destinations(w, op, lane, copy, &to, &barrier, NULL)) {
    async_drop(copy);
    return false;
  }
  async_report_overlaps(w, op, lane, copy);
  async_issue(w, lane, copy, NULL);
  return true;
}

void execute_bulk_copy(struct warp *w, const struct op *op) {
  const struct bulk_extra *x = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left), bytes = async_value32(w, x->size, lane);
    if (!size_allowed(w, op, lane, x, bytes)) return;
    bool good = x->kind == ASYNC_BULK_LOAD    ? issue_load(w, op, lane, x, bytes)
                : async_is_to_global(x->kind) ? issue_store(w, op, lane, x, bytes)
                                              : issue_cluster(w, op, lane, x, bytes);
    if (!good) return;
  }
}

void execute_bulk_prefetch(struct warp *w, const struct op *op) {
  const struct bulk_extra *x = op->extra;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left), bytes = async_value32(w, x->size, lane);
    if (!size_allowed(w, op, lane, NULL, bytes)) return;
    if (!async_global_at(w, op, lane, async_address_of(w, &x->source, lane), bytes, BULK_UNIT,
                         "The range to prefetch"))
      return;
    w->block->cluster->observed.prefetch_bytes += bytes;
  }
}

void execute_bulk_commit(struct warp *w, const struct op *op) {
  (void)op;
  async_bulk_commit(w);
}

void execute_bulk_wait(struct warp *w, const struct op *op) {
  struct observed *o = &w->block->cluster->observed;
  if (!async_bulk_wait(w, op, (uint32_t)op->immediate, op->kind != 0)) return;
  *(op->kind ? &o->waits_read : &o->waits_full) += 1;
}

// The lanes of a warp that write to the same block meet at its banks, as those of an ordinary store do.
static void count_remote(struct warp *w, const struct op *op, const struct async_shared to[WARP_LANES],
                         uint32_t bytes) {
  for (uint32_t left = w->lanes; left;) {
    const struct block *owner = to[__builtin_ctz(left)].owner;
    struct access a = {.where = ACCESS_SHARED};
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      if (to[lane].owner != owner) continue;
      a.lanes |= 1U << lane;
      a.address[lane] = to[lane].offset;
    }
    left &= ~a.lanes;
    w->block->cluster->observed.shared_store_bytes += (uint64_t)bytes * (uint32_t)__builtin_popcount(a.lanes);
    memory_count_cycles(w, op, &a, bytes);
  }
}

void execute_bulk_remote(struct warp *w, const struct op *op) {
  const struct bulk_extra *x = op->extra;
  uint32_t bytes = x->value_count * x->value_bytes;
  struct async_shared places[WARP_LANES];
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    struct async_shared to, barrier;
    if (!async_shared_at(w, op, lane, &x->destination, bytes, bytes, "The destination", &to) ||
        !async_barrier_at(w, op, lane, &x->barrier, false, &barrier))
      return;
    places[lane] = to;
    struct async_copy *copy = async_new(actor_of(w, op, lane), ASYNC_REMOTE_STORE);
    copy->bytes = copy->footprint = bytes;
    copy->operation = x->operation;
    copy->element = x->element;
    if (!async_destinations(w, op, lane, copy, &to, &barrier, NULL)) {
      async_drop(copy);
      return;
    }
    for (uint32_t i = 0; i < x->value_count; i++) {
      if (x->value_bytes == 8)
        memcpy(copy->value + 8 * i, &warp_register64(w, x->values[i])[lane], 8);
      else
        memcpy(copy->value + 4 * i, &warp_register32(w, x->values[i])[lane], 4);
    }
    async_report_overlaps(w, op, lane, copy);
    async_issue(w, lane, copy, NULL);
  }
  count_remote(w, op, places, bytes);
}
