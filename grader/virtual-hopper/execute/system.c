// System functions that kernels call. They are ordered among the clusters: each waits for the turn of its
// cluster. So printed text appears in the same order in every run.
#include "virtual-hopper/execute/system.h"

#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/condition.h"
#include "virtual-hopper/execute/flow.h"
#include "virtual-hopper/machine/output.h"
#include "virtual-hopper/memory/memory.h"

enum { LONGEST_FORMAT = 4096, LONGEST_NAME = 512, HEAP_ALIGNMENT = 256 };
static const char heap_name[] = "memory from malloc in a kernel";

void system_argument_bytes(const struct warp *w, const struct call_site *site, uint32_t n, uint32_t lane,
                           void *to, size_t size) {
  const struct frame *frame = w->splits[0].frame;
  const struct call_slot *slot = &site->arguments[n];
  memset(to, 0, size);
  if (!slot->bytes) return; // a parameter of size 0: the call area may be NULL
  memcpy(to, frame->parameters + (size_t)lane * frame->function->call_area_bytes + slot->offset,
         slot->bytes < size ? slot->bytes : size);
}

uint64_t system_argument(const struct warp *w, const struct call_site *site, uint32_t n, uint32_t lane) {
  uint64_t value;
  system_argument_bytes(w, site, n, lane, &value, sizeof value);
  return value;
}

void system_set_result(const struct warp *w, const struct call_site *site, uint32_t lane, uint64_t value) {
  const struct frame *frame = w->splits[0].frame;
  if (!site->result_count) return;
  const struct call_slot *slot = &site->results[0];
  if (!slot->bytes) return; // `_`, or a parameter of size 0
  memcpy(frame->parameters + (size_t)lane * frame->function->call_area_bytes + slot->offset, &value,
         slot->bytes < 8 ? slot->bytes : 8);
}

bool system_read_string(struct warp *w, uint32_t lane, uint64_t address, char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    struct memory_place place = memory_resolve(w, lane, address + i, 1);
    text[i] = place.host && i + 1 < size ? (char)*place.host : '\0';
    if (!text[i]) return place.host != NULL;
  }
  return true;
}

void system_printf(struct warp *w, const struct op *op) {
  const struct call_site *site = op->extra;
  char format[LONGEST_FORMAT];
  if (!warp_take_turn(w)) return;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint64_t where = system_argument(w, site, 0, lane);
    int count = -1;
    if (system_read_string(w, lane, where, format, sizeof format))
      count = system_format(w, lane, format, system_argument(w, site, 1, lane));
    if (count < 0) {
      warp_faultf(w, op, lane, RULE_OUT_OF_BOUNDS, ERROR_ILLEGAL_ADDRESS,
                  "printf is given a string or arguments at an address that can't be read.");
      return;
    }
    system_set_result(w, site, lane, (uint64_t)count);
  }
}

void system_assert_fail(struct warp *w, const struct op *op) {
  const struct call_site *site = op->extra;
  char condition[LONGEST_NAME], file[LONGEST_NAME], function[LONGEST_NAME], line[3 * LONGEST_NAME + 256];
  if (!warp_take_turn(w)) return;
  const struct vhopper_dim *size = &w->launch->block, *block = &w->block->index;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left), t = warp_thread(w, lane);
    system_read_string(w, lane, system_argument(w, site, 0, lane), condition, sizeof condition);
    system_read_string(w, lane, system_argument(w, site, 1, lane), file, sizeof file);
    system_read_string(w, lane, system_argument(w, site, 3, lane), function, sizeof function);
    int length = snprintf(line, sizeof line,
                          "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
                          (uint32_t)system_argument(w, site, 2, lane), function, block->x, block->y, block->z,
                          t % size->x, t / size->x % size->y, t / (size->x * size->y), condition);
    device_print(w->launch->output, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
  }
  warp_faultf(w, op, (uint32_t)__builtin_ctz(w->lanes), RULE_TRAP, ERROR_ASSERT,
              "The assertion `%s` failed in %s.", condition, function);
}

// What an allocation takes of the heap's size. An H100's heap of 8 MiB holds 6 pieces of 1 MiB or one of 4; a
// heap of 64 MiB 13 pieces of 4 MiB and 6 of 8 MiB: a fifth more than was asked for fits all of these. It
// holds still fewer small pieces (78 of 64 KiB); a program that has room there has room here.
static uint64_t heap_share(uint64_t bytes) {
  return bytes < UINT64_MAX / 2 ? bytes + bytes / 5 : UINT64_MAX;
}

// Returns 0 where the heap has no room: the heap's size is a limit of the context, as on the chip.
uint64_t system_heap_take(struct launch *l, uint64_t bytes) {
  struct context_limits *limits = l->limits;
  const uint64_t share = heap_share(bytes);
  uint64_t address;
  if (!bytes || limits->heap_used > limits->heap_bytes || share > limits->heap_bytes - limits->heap_used ||
      memory_allocate(l->memory, bytes, HEAP_ALIGNMENT, &address) != 0)
    return 0;
  memory_name(l->memory, address, heap_name);
  memory_mark_heap(l->memory, address);
  limits->heap_used += share;
  return address;
}

// After a reset `used` doesn't count what kernels took before it.
static void heap_give(struct context_limits *limits, uint64_t bytes) {
  const uint64_t share = heap_share(bytes);
  limits->heap_used -= share < limits->heap_used ? share : limits->heap_used;
}

void system_malloc(struct warp *w, const struct op *op) {
  const struct call_site *site = op->extra;
  if (!warp_take_turn(w)) return;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    system_set_result(w, site, lane, system_heap_take(w->launch, system_argument(w, site, 0, lane)));
  }
}

// cudaGraphSetConditional(handle, value)
void system_set_condition(struct warp *w, const struct op *op) {
  const struct call_site *site = op->extra;
  if (!warp_take_turn(w)) return;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    const uint64_t handle = system_argument(w, site, 0, lane);
    struct condition c = {0};
    uint8_t *place = memory_host(w->launch->memory, handle, sizeof c);
    if (place) memcpy(&c, place, sizeof c);
    if (c.magic != CONDITION_MAGIC) {
      warp_faultf(w, op, lane, RULE_OUT_OF_BOUNDS, ERROR_ILLEGAL_ADDRESS,
                  "0x%llx is no handle of a graph's condition.", (unsigned long long)handle);
      return;
    }
    c.value = (uint32_t)system_argument(w, site, 1, lane);
    memcpy(place, &c, sizeof c);
  }
}

// "by thread (3,0,0) of block (5,0,0), file.cu:12"
static void describe_place(const struct warp *w, const struct op *op, uint32_t lane, char *text,
                           size_t size) {
  struct fault_place place;
  machine_place(&place, w->block, op, warp_thread(w, lane));
  const char *slash = strrchr(place.file, '/');
  int length = snprintf(text, size, "by thread (%u,%u,%u) of block (%u,%u,%u)", place.thread[0],
                        place.thread[1], place.thread[2], place.block[0], place.block[1], place.block[2]);
  if (place.line && length > 0 && (size_t)length < size)
    snprintf(text + length, size - (size_t)length, " at %s:%u", slash ? slash + 1 : place.file, place.line);
}

void system_free(struct warp *w, const struct op *op) {
  const struct call_site *site = op->extra;
  if (!warp_take_turn(w)) return;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    uint32_t lane = (uint32_t)__builtin_ctz(left);
    uint64_t address = system_argument(w, site, 0, lane);
    const struct memory_allocation *found = address ? memory_find(w->launch->memory, address) : NULL;
    if (!address) continue;
    if (!found || found->address != address || strcmp(found->name, heap_name) != 0) {
      warp_faultf(w, op, lane, RULE_ILLEGAL_INSTRUCTION, ERROR_ILLEGAL_ADDRESS,
                  "free is given 0x%llx, which malloc in a kernel didn't return, or which was freed before.",
                  (unsigned long long)address);
      return;
    }
    char where[MEMORY_FREED_TEXT];
    describe_place(w, op, lane, where, sizeof where);
    heap_give(w->launch->limits, found->bytes);
    memory_free(w->launch->memory, address, where);
    w->launch->frees++; // makes all remembered look-ups of allocations invalid
  }
}
