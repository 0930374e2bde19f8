// Bulk copies without a tensor map: takes cp.async.bulk, cp.reduce.async.bulk, their groups and prefetch, st.async and red.async; leaves ops
// that check every rule of the instruction at issue and put a copy under way (async.h). PTX ISA 9.7.9.25.4, 9.7.9.12, 9.7.13.7.
#include "virtual-hopper/decode/bulk.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/shared-name.h"

enum { BULK_UNIT = 16 };

struct bulk_extra {
  struct async_address destination, source, barrier;
  uint32_t size, mask; // registers; mask OP_NO_REGISTER: no multicast
  enum async_kind kind;
  uint8_t operation, element;
  uint32_t values[4], value_count, value_bytes; // st.async, red.async
};

// ---- checks ---------------------------------------------------------------------------------------------------------------------

// The likeliest mistake is a number of elements. Of which size? The commonest one that would make the copy a whole number of units.
static uint32_t likely_element(uint32_t count) {
  static const uint32_t sizes[] = {4, 2, 8, BULK_UNIT};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if ((uint64_t)count * sizes[i] % BULK_UNIT == 0) return sizes[i];
  return BULK_UNIT;
}

// What the copy could move at most: from where it begins to the end of the buffer in shared memory, and what is left of the allocation, 0: not known.
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

// x: NULL for a prefetch, which has one address only.
static bool size_allowed(struct warp *w, const struct op *op, uint32_t lane, const struct bulk_extra *x,
                         uint32_t bytes) {
  if (bytes % BULK_UNIT == 0) return true;
  struct fault f = {.rule = "bulk-size", .severity = FAULT_FATAL, .device_error = ERROR_HANG};
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
  char larger[48] = ""; // where 8 bytes would do, so would a float4
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
        w, op, lane, "illegal-instruction", ERROR_INSTRUCTION, "issues a copy within the cluster",
        "The copy goes to block %u of the cluster and its barrier is in block %u: both must be in the same block.",
        to->owner->rank, barrier->owner->rank);
    return false;
  }
  const struct cluster *c = w->block->cluster;
  if ((*mask & 0xffffu) >> c->block_count) {
    async_faultf(w, op, lane, "illegal-instruction", ERROR_INSTRUCTION, "issues a copy within the cluster",
                 "The multicast mask 0x%x names blocks that a cluster of %u doesn't have.", *mask & 0xffffu,
                 c->block_count);
    return false;
  }
  for (uint32_t rank = 0; rank < c->block_count; rank++)
    if (*mask >> rank & 1) copy->destination[copy->destination_count++] = c->blocks[rank];
  return true;
}

void async_report_overlaps(struct warp *w, const struct op *op, uint32_t lane,
                           const struct async_copy *copy) {
  for (uint32_t i = 0; i < copy->destination_count; i++) {
    struct block *to = copy->destination[i];
    if (mbarrier_may_overlap(to, copy->shared_offset, copy->footprint))
      mbarrier_overwritten(w, op, lane, to, copy->shared_offset, copy->footprint);
  }
}

// ---- execution ------------------------------------------------------------------------------------------------------------------

// Where the compiler knows which memory a pointer belongs to, one of the other kind becomes null or what its lower half says.
static bool changed_places(struct warp *w, const struct op *op, uint32_t lane, const struct bulk_extra *x) {
  bool load = x->kind == ASYNC_BULK_LOAD;
  const struct async_address *inside = load ? &x->destination : &x->source;
  uint64_t shared = async_address_of(w, inside, lane);
  uint64_t global = async_address_of(w, load ? &x->source : &x->destination, lane);
  if (!memory_is_no_place(w, global) ||
      memory_resolve(w, lane, inside->shared ? SHARED_WINDOW + shared : shared, 1).host)
    return false;
  struct fault f = {.rule = "out-of-bounds", .severity = FAULT_FATAL, .device_error = ERROR_ADDRESS};
  snprintf(f.role, sizeof f.role, "copies from %s",
           load ? "global memory to shared memory" : "shared memory to global memory");
  snprintf(
      f.message, sizeof f.message,
      "The %s of the bulk copy, 0x%llx, is not in global memory, and its %s, 0x%llx, is not in shared memory.",
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
  struct async_copy *copy = async_new(w, op, lane, ASYNC_BULK_LOAD);
  copy->bytes = copy->footprint = bytes;
  copy->global_address = address;
  uint32_t mask = x->mask == OP_NO_REGISTER ? 0 : async_value32(w, x->mask, lane);
  if (!async_destinations(w, op, lane, copy, &to, &barrier, x->mask == OP_NO_REGISTER ? NULL : &mask)) {
    async_drop(copy);
    return false;
  }
  async_report_overlaps(w, op, lane, copy);
  async_issue(w, lane, copy, host, NULL);
  return true;
}

static bool own_source(struct warp *w, const struct op *op, uint32_t lane, const struct async_shared *from) {
  if (from->owner == w->block) return true;
  async_faultf(
      w, op, lane, "illegal-instruction", ERROR_INSTRUCTION, "issues a copy within the cluster",
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
  struct async_copy *copy = async_new(w, op, lane, x->kind);
  copy->bytes = copy->footprint = bytes;
  copy->global_address = address;
  copy->shared_offset = from.offset;
  copy->operation = x->operation;
  copy->element = x->element;
  async_issue(w, lane, copy, host, NULL);
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
  struct async_copy *copy = async_new(w, op, lane, x->kind);
  copy->bytes = copy->footprint = bytes;
  copy->source_offset = from.offset;
  copy->operation = x->operation;
  copy->element = x->element;
  if (!async_destinations(w, op, lane, copy, &to, &barrier, NULL)) {
    async_drop(copy);
    return false;
  }
  async_report_overlaps(w, op, lane, copy);
  async_issue(w, lane, copy, NULL, NULL);
  return true;
}

static void execute_copy(struct warp *w, const struct op *op) {
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

static void execute_prefetch(struct warp *w, const struct op *op) {
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

static void execute_commit(struct warp *w, const struct op *op) {
  (void)op;
  async_bulk_commit(w);
}

static void execute_wait(struct warp *w, const struct op *op) {
  struct observed *o = &w->block->cluster->observed;
  if (!async_bulk_wait(w, op, (uint32_t)op->immediate, op->kind != 0)) return;
  *(op->kind ? &o->waits_read : &o->waits_full) += 1;
}

static void execute_remote(struct warp *w, const struct op *op) {
  const struct bulk_extra *x = op->extra;
  uint32_t bytes = x->value_count * x->value_bytes;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    struct async_shared to, barrier;
    if (!async_shared_at(w, op, lane, &x->destination, bytes, bytes, "The destination", &to) ||
        !async_barrier_at(w, op, lane, &x->barrier, false, &barrier))
      return;
    struct async_copy *copy = async_new(w, op, lane, ASYNC_REMOTE_STORE);
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
    async_issue(w, lane, copy, NULL, NULL);
  }
}

// ---- decoding -------------------------------------------------------------------------------------------------------------------

bool async_is_to_global(enum async_kind kind) {
  return kind == ASYNC_BULK_STORE || kind == ASYNC_BULK_REDUCE;
}

int async_take_operation(struct modifiers *m) {
  static const char *const names[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", NULL};
  return modifiers_take_one_of(m, names) + 1; // enum async_operation; 0: none
}

bool async_refuse(struct decoder *d, const struct ptx_instruction *in, const struct async_refusal *refusals) {
  for (; refusals->modifier; refusals++)
    if (ptx_has_modifier(in, refusals->modifier))
      return !decode_error(d, in, ".%s %s", refusals->modifier, refusals->reason);
  return false;
}

static const struct async_refusal bulk_refusals[] = {
    {"cp_mask", "needs compute capability 10.0; this is 9.0"},
    {"ignore_oob", "needs compute capability 10.0; this is 9.0"},
    {NULL, NULL},
};

bool async_operand_count(struct decoder *d, const struct ptx_instruction *in, uint32_t wanted) {
  if (in->operand_count == wanted) return true;
  return decode_error(d, in, "%u operands, where %u are wanted", in->operand_count, wanted);
}

static bool decode_group(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                         struct modifiers *m) {
  if (modifiers_take(m, "commit_group")) {
    op->execute = execute_commit;
    return modifiers_all_taken(d, m) && async_operand_count(d, in, 0);
  }
  modifiers_take(m, "wait_group");
  op->execute = execute_wait;
  op->kind = modifiers_take(m, "read");
  if (!modifiers_all_taken(d, m) || !async_operand_count(d, in, 1)) return false;
  if (in->operands[0].kind != PTX_OPERAND_INTEGER)
    return decode_error(d, in, "the number of groups must be an integer constant");
  op->immediate = (int64_t)(uint32_t)in->operands[0].integer;
  return true;
}

static bool decode_prefetch(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                            struct modifiers *m, struct bulk_extra *x) {
  op->execute = execute_prefetch;
  bool hint = modifiers_take(m, "L2::cache_hint");
  if (!modifiers_take(m, "L2") || !modifiers_take(m, "global"))
    return decode_error(d, in, "a prefetch goes from .global to .L2");
  if (!modifiers_all_taken(d, m) || !async_operand_count(d, in, hint ? 3 : 2)) return false;
  if (!async_address_decode(d, in, &in->operands[0], PTX_GLOBAL, &x->source)) return false;
  x->size = decode_source(d, &in->operands[1], PTX_U32);
  return !decode_failed(d);
}

// Destination and source spaces, in the order written: ".shared::cluster.global" and so on.
static bool take_direction(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                           struct bulk_extra *x) {
  bool reduces = x->operation != ASYNC_STORE, to_group = modifiers_take(m, "bulk_group"),
       to_barrier = modifiers_take(m, "mbarrier::complete_tx::bytes");
  bool global = modifiers_take(m, "global"), cluster = modifiers_take(m, "shared::cluster"),
       cta = modifiers_take(m, "shared::cta");
  if (to_group && global && cta && !cluster)
    x->kind = reduces ? ASYNC_BULK_REDUCE : ASYNC_BULK_STORE;
  else if (to_barrier && global && cluster != cta && !reduces)
    x->kind = ASYNC_BULK_LOAD;
  else if (to_barrier && cluster && cta && !global)
    x->kind = reduces ? ASYNC_BULK_CLUSTER_REDUCE : ASYNC_BULK_CLUSTER;
  else
    return decode_error(d, in, "this direction with this way of completing is no bulk copy");
  return true;
}

static bool check_reduction(struct decoder *d, const struct ptx_instruction *in, struct modifiers *m,
                            struct bulk_extra *x) {
  bool noftz = modifiers_take(m, "noftz");
  x->element = (uint8_t)modifiers_take_type(m);
  bool half = x->element == PTX_F16 || x->element == PTX_BF16;
  if (!async_reduce_known((enum async_operation)x->operation, (enum ptx_type)x->element))
    return decode_error(d, in, "this operation doesn't exist for .%s",
                        ptx_type_name((enum ptx_type)x->element));
  if (noftz != (half && x->operation == ASYNC_ADD))
    return decode_error(d, in, ".noftz goes with .add of .f16 and .bf16, and only with it");
  return true;
}

static bool decode_copy(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                        struct modifiers *m, struct bulk_extra *x) {
  op->execute = execute_copy;
  x->operation = modifiers_take(m, "reduce") ? (uint8_t)async_take_operation(m) : ASYNC_STORE;
  if (!take_direction(d, in, m, x)) return false;
  if (x->operation != ASYNC_STORE && !check_reduction(d, in, m, x)) return false;
  bool multicast = modifiers_take(m, "multicast::cluster"), hint = modifiers_take(m, "L2::cache_hint"),
       to_global = async_is_to_global(x->kind);
  if (!modifiers_all_taken(d, m)) return false;
  if (!async_operand_count(d, in, 3 + !to_global + multicast + hint)) return false;
  if (!async_address_decode(d, in, &in->operands[0], to_global ? PTX_GLOBAL : PTX_SHARED, &x->destination) ||
      !async_address_decode(d, in, &in->operands[1], x->kind == ASYNC_BULK_LOAD ? PTX_GLOBAL : PTX_SHARED,
                            &x->source))
    return false;
  x->size = decode_source(d, &in->operands[2], PTX_U32);
  if (!to_global && !async_address_decode(d, in, &in->operands[3], PTX_SHARED, &x->barrier)) return false;
  if (multicast) x->mask = decode_source(d, &in->operands[4], PTX_U16);
  return !decode_failed(d);
}

static bool decode_remote(struct decoder *d, const struct ptx_instruction *in, struct op *op,
                          struct modifiers *m, struct bulk_extra *x) {
  op->execute = execute_remote;
  modifiers_take(m, "weak");
  modifiers_take(m, "relaxed");
  modifiers_take(m, "cluster");
  modifiers_take(m, "mbarrier::complete_tx::bytes");
  if (ptx_has_modifier(in, "release") || ptx_has_modifier(in, "mmio") || ptx_has_modifier(in, "global"))
    return decode_error(d, in, "%s.async to global memory needs compute capability 10.0; this is 9.0",
                        in->opcode);
  bool reduces = strcmp(in->opcode, "red") == 0;
  x->operation = reduces ? (uint8_t)async_take_operation(m) : ASYNC_STORE;
  x->value_count = modifiers_take(m, "v4") ? 4 : modifiers_take(m, "v2") ? 2 : 1;
  enum ptx_space space = async_take_shared(m);
  x->element = (uint8_t)modifiers_take_type(m);
  x->value_bytes = (uint32_t)ptx_type_size((enum ptx_type)x->element);
  if (!modifiers_all_taken(d, m) || !async_operand_count(d, in, 3)) return false;
  if ((x->value_bytes != 4 && x->value_bytes != 8) || x->value_bytes * x->value_count > 16)
    return decode_error(d, in, "values of 4 or 8 bytes, 16 in all at most");
  if (reduces && !async_reduce_known((enum async_operation)x->operation, (enum ptx_type)x->element))
    return decode_error(d, in, "this operation doesn't exist for .%s",
                        ptx_type_name((enum ptx_type)x->element));
  if (!async_address_decode(d, in, &in->operands[0], space, &x->destination) ||
      !async_address_decode(d, in, &in->operands[2], space, &x->barrier))
    return false;
  const struct ptx_operand *value = &in->operands[1];
  bool vector = value->kind == PTX_OPERAND_VECTOR;
  if ((vector ? value->count : 1) != x->value_count)
    return decode_error(d, in, "%u values are wanted", x->value_count);
  for (uint32_t i = 0; i < x->value_count; i++)
    x->values[i] = decode_source(d, vector ? &value->elements[i] : value, (enum ptx_type)x->element);
  return !decode_failed(d);
}

// cp.async.bulk..., cp.reduce.async.bulk..., st.async, red.async
bool decode_bulk(struct decoder *d, const struct ptx_instruction *in, struct op *op) {
  struct modifiers m = modifiers_of(in);
  struct bulk_extra *x = decode_allocate(d, sizeof *x);
  x->mask = OP_NO_REGISTER;
  op->extra = x;
  if (async_refuse(d, in, bulk_refusals)) return false;
  if (!modifiers_take(&m, "async"))
    return decode_error(d, in, "%s.bulk needs compute capability 10.0; this is 9.0", in->opcode);
  if (strcmp(in->opcode, "cp") != 0) return decode_remote(d, in, op, &m, x);
  modifiers_take(&m, "bulk");
  if (ptx_has_modifier(in, "commit_group") || ptx_has_modifier(in, "wait_group"))
    return decode_group(d, in, op, &m);
  if (modifiers_take(&m, "prefetch")) return decode_prefetch(d, in, op, &m, x);
  return decode_copy(d, in, op, &m, x);
}
