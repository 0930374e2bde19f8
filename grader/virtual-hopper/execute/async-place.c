// In: an address operand of an asynchronous instruction, and a lane. Out: the memory at that address, or a
// fault that says what is wrong with the address.
#include "virtual-hopper/execute/async-place.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/execute/access.h"
#include "virtual-hopper/machine/shared-name.h"

void async_faultf(struct warp *w, const struct op *op, uint32_t lane, enum rule_id rule, int device_error,
                  const char *role, const char *format, ...) {
  struct fault f = {.rule = rule, .severity = FAULT_FATAL, .device_error = device_error};
  snprintf(f.role, sizeof f.role, "%s", role);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f.message, sizeof f.message, format, arguments);
  va_end(arguments);
  warp_fault(w, op, lane, &f);
}

static void misaligned(struct warp *w, const struct op *op, uint32_t lane, const char *what,
                       unsigned long long address, bool shared, uint32_t alignment) {
  struct fault f = {
      .rule = RULE_MISALIGNED_ADDRESS, .severity = FAULT_FATAL, .device_error = ERROR_MISALIGNED_ADDRESS};
  snprintf(f.role, sizeof f.role, "gives an address that is not aligned");
  const struct memory_allocation *a = shared ? NULL : memory_find(w->launch->memory, address);
  char where[200] = "";
  if (a) memory_describe(w->launch->memory, address, where, sizeof where);
  snprintf(f.message, sizeof f.message, "%s is %s 0x%llx, which is %llu bytes past a multiple of %u%s%s.",
           what, shared ? "shared offset" : "global address", address, address % alignment, alignment,
           a ? ": " : "", where);
  if (alignment == 128)
    snprintf(
        f.remedy, sizeof f.remedy,
        "Declare the buffer alignas(128) (1024 for 128-byte swizzle) and keep every stage's size a multiple "
        "of that.");
  else if (shared)
    snprintf(f.remedy, sizeof f.remedy,
             "Declare the buffer alignas(%u) and begin at its start, or a multiple of %u bytes behind it.",
             alignment, alignment);
  else if (a && a->address % alignment == 0)
    snprintf(
        f.remedy, sizeof f.remedy,
        "The array itself begins at a multiple of %u. So look at what is added to its pointer: is it the "
        "first element of a tile?",
        alignment);
  else
    snprintf(f.remedy, sizeof f.remedy,
             "Make the address a multiple of %u bytes; treat the elements before it apart.", alignment);
  warp_fault(w, op, lane, &f);
}

// What may have led outside shared memory.
static void advise_outside(struct warp *w, const struct op *op, uint64_t generic, struct fault *f) {
  bool tensor = ptx_has_modifier(op->source, "tensor");
  if (strcmp(op->source->opcode, "mbarrier") == 0)
    snprintf(f->remedy, sizeof f->remedy,
             "A barrier lies in shared memory. Is it declared with __shared__, and is the index right?");
  else if (tensor)
    snprintf(
        f->remedy, sizeof f->remedy,
        "A tensor copy moves its map's whole box: is this the map that belongs to this buffer, and is its "
        "box as large as the buffer?");
  else if (generic - SHARED_WINDOW < WINDOW_BYTES &&
           memory_find_lower_half(w->launch->memory, (uint32_t)generic))
    snprintf(f->remedy, sizeof f->remedy,
             "That is the lower half of an address in global memory. " ASYNC_TURNED_REMEDY);
  else if (!memory_advise(w, generic, f->remedy, sizeof f->remedy))
    snprintf(f->remedy, sizeof f->remedy,
             "Check where the buffer begins and how large it is: a pointer moves by elements, `bytes` counts "
             "bytes.");
}

static enum deed_kind deed_of(const struct op *op) {
  return strcmp(op->source->opcode, "mbarrier") == 0 ? DEED_BARRIER_USE : DEED_LOAD;
}

bool async_shared_at(struct warp *w, const struct op *op, uint32_t lane, const struct async_address *a,
                     uint32_t bytes, uint32_t alignment, const char *what, struct async_shared *place) {
  uint64_t address = async_address_of(w, a, lane);
  uint64_t generic = a->shared ? SHARED_WINDOW + address : address;
  if (generic - SHARED_WINDOW < WINDOW_BYTES && (uint32_t)generic % alignment) {
    misaligned(w, op, lane, what, (uint32_t)generic & ((1u << SHARED_RANK_SHIFT) - 1), true, alignment);
    return false;
  }
  struct memory_place found = memory_resolve(w, lane, generic, bytes);
  if (!found.host && access_fault_ended(w, op, lane, generic, deed_of(op))) return false;
  if (found.kind != MEMORY_SHARED || !found.host) {
    struct fault f = {
        .rule = RULE_OUT_OF_BOUNDS, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_ADDRESS};
    char where[320];
    memory_describe_place(w, generic, bytes, where, sizeof where);
    snprintf(f.role, sizeof f.role, "gives an address outside shared memory");
    snprintf(f.message, sizeof f.message,
             "%s, %u bytes at 0x%llx, is not wholly in shared memory: it begins %s.", what, bytes,
             (unsigned long long)address, where);
    advise_outside(w, op, generic, &f);
    // The copy uses a map. The host code that made the map gave the box its size.
    if (ptx_has_modifier(op->source, "tensor")) {
      f.edit = FAULT_EDIT_HOST;
      f.edit_is_guess = true; // either the copy names another buffer's map, or the map is wrong
    }
    warp_fault(w, op, lane, &f);
    return false;
  }
  *place = (struct async_shared){.owner = found.owner, .offset = found.offset, .host = found.host};
  return true;
}

bool async_barrier_at(struct warp *w, const struct op *op, uint32_t lane, const struct async_address *a,
                      bool own, struct async_shared *place) {
  uint64_t address = async_address_of(w, a, lane);
  bool shared = a->shared || address - SHARED_WINDOW < WINDOW_BYTES;
  if (shared && address % MBARRIER_BYTES) {
    mbarrier_fault_misaligned(actor_of(w, op, lane), (uint32_t)address & ((1u << SHARED_RANK_SHIFT) - 1));
    return false;
  }
  if (!async_shared_at(w, op, lane, a, MBARRIER_BYTES, 1, "The barrier", place)) return false;
  if (own && place->owner != w->block) {
    mbarrier_fault_remote(actor_of(w, op, lane), place->owner);
    return false;
  }
  return true;
}

// Fault: the first or the last byte of the range is in no allocation.
static void outside_global(struct warp *w, const struct op *op, uint32_t lane, uint64_t address,
                           uint64_t bytes, const char *what) {
  struct fault f = {
      .rule = RULE_OUT_OF_BOUNDS, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_ADDRESS};
  const struct memory_allocation *a = memory_find(w->launch->memory, address);
  char where[200], end[64] = "";
  memory_describe_place(w, address, 1, where, sizeof where);
  if (a)
    snprintf(end, sizeof end, " and ends %llu bytes past its end",
             (unsigned long long)(address + bytes - a->address - a->bytes));
  snprintf(f.role, sizeof f.role, "copies memory that belongs to no allocation");
  snprintf(f.message, sizeof f.message,
           "%s, %llu bytes at 0x%llx, is not wholly inside one allocation: it begins %s%s.", what,
           (unsigned long long)bytes, (unsigned long long)address, where, end);
  if (a)
    snprintf(
        f.remedy, sizeof f.remedy,
        "Make the last copy as short as what is left: bytes = min(tile, end - first). A chip would copy what "
        "lies there.");
  else if (!memory_advise(w, address, f.remedy, sizeof f.remedy))
    snprintf(
        f.remedy, sizeof f.remedy,
        "Check where the copy begins: a pointer moves by elements, not by bytes; and how many tiles there "
        "are.");
  warp_fault(w, op, lane, &f);
}

// Fault: the operand must be in global memory, but its address is in shared memory.
static void shared_for_global(struct warp *w, const struct op *op, uint32_t lane, uint64_t address,
                              const char *what) {
  struct fault f = {
      .rule = RULE_OUT_OF_BOUNDS, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_ADDRESS};
  char name[160];
  shared_name_place(w->launch, (uint32_t)address & ((1u << SHARED_RANK_SHIFT) - 1), name, sizeof name);
  snprintf(f.role, sizeof f.role, "gives an address of shared memory for one of global memory");
  snprintf(f.message, sizeof f.message, "%s is in global memory for this copy, and what it is given is %s.",
           what, name);
  snprintf(f.remedy, sizeof f.remedy, "%s", ASYNC_TURNED_REMEDY);
  warp_fault(w, op, lane, &f);
}

uint8_t *async_global_at(struct warp *w, const struct op *op, uint32_t lane, uint64_t address, uint64_t bytes,
                         uint32_t alignment, const char *what) {
  if (address - SHARED_WINDOW < WINDOW_BYTES) {
    shared_for_global(w, op, lane, address, what);
    return NULL;
  }
  if (address % alignment && !memory_is_no_place(w, address)) {
    misaligned(w, op, lane, what, address, false, alignment);
    return NULL;
  }
  uint8_t *host = memory_host(w->launch->memory, address, bytes);
  if (!host) outside_global(w, op, lane, address, bytes, what);
  return host;
}
