// Frames: the registers of one activation of a function. Immediates and addresses are registers, too. A warp
// keeps its frames and uses them again within a launch, so that immediates and addresses are written once.
#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/base/poison.h"
#include "virtual-hopper/execute/flow.h"

static void write_constant(struct frame *frame, const struct constant *c, uint64_t value) {
  uint8_t *at = frame->registers + c->offset;
  if (c->bytes == 0) {
    uint32_t mask = (uint32_t)value;
    memcpy(at, &mask, sizeof mask);
    return;
  }
  // little-endian: low bytes first
  for (uint32_t lane = 0; lane < WARP_LANES; lane++)
    memcpy(at + lane * c->bytes, &value, c->bytes);
}

static void write_constants(struct frame *frame, const struct warp *w, bool local_only) {
  const struct function *f = frame->function;
  for (uint32_t i = 0; i < f->constant_count; i++) {
    const struct constant *c = &f->constants[i];
    if (local_only && c->base != CONSTANT_LOCAL) continue;
    uint64_t base = c->base == CONSTANT_SHARED  ? (uint64_t)w->block->rank << SHARED_RANK_SHIFT
                    : c->base == CONSTANT_LOCAL ? frame->local_base
                                                : 0;
    write_constant(frame, c, c->value + base);
  }
}

static size_t frame_bytes(const struct function *function) {
  return (sizeof(struct frame) + function->register_bytes + 63) / 64 * 64;
}

uint32_t frame_bytes_per_thread(const struct function *function) {
  return function->register_bytes / WARP_LANES + function->call_area_bytes;
}

// For the address sanitizer: poisons all bytes that belong to no place of the function. So the sanitizer
// reports an executor that reads beyond its operand.
static void poison_gaps(struct frame *frame) {
  const struct function *f = frame->function;
  if (!f->places) return;
  POISON(frame->registers, f->register_bytes);
  for (uint32_t i = 0; i < f->place_count; i++)
    UNPOISON(frame->registers + f->places[i].offset, f->places[i].bytes);
}

static struct frame *frame_make(struct warp *w, const struct function *function, uint32_t local_base) {
  size_t bytes = frame_bytes(function);
  struct frame *frame = aligned_alloc(64, bytes);
  if (!frame) die("out of memory for a register frame of %zu bytes", bytes);
  memset(frame, 0, sizeof *frame);
  memset(frame->registers, REGISTER_UNWRITTEN_BYTE, bytes - sizeof *frame);
  frame->function = function;
  frame->local_base = local_base;
  if (function->call_area_bytes) {
    frame->parameters = calloc(WARP_LANES, function->call_area_bytes);
    if (!frame->parameters) die("out of memory for call parameters");
  }
  poison_gaps(frame);
  write_constants(frame, w, false);
  return frame;
}

static struct frame *find_free(struct warp *w, const struct function *function) {
  for (struct frame **link = &w->free_frames; *link; link = &(*link)->next_free) {
    struct frame *frame = *link;
    if (frame->function != function) continue;
    *link = frame->next_free;
    return frame;
  }
  return NULL;
}

struct frame *frame_take(struct warp *w, const struct function *function, struct frame *caller,
                         uint32_t lanes, uint32_t return_pc) {
  uint32_t local_base = caller ? caller->local_base + caller->function->local_bytes : 0;
  struct frame *frame = find_free(w, function);
  if (!frame && caller &&
      !launch_take(w->launch, frame_bytes(function) + (size_t)WARP_LANES * function->call_area_bytes))
    return NULL;
  if (!frame) frame = frame_make(w, function, local_base);
  if (frame->local_base != local_base) {
    frame->local_base = local_base;
    write_constants(frame, w, true);
  }
  frame->caller = caller;
  frame->lanes = lanes;
  frame->return_pc = return_pc;
  frame->depth = caller ? caller->depth + 1 : 0;
  frame->call_bytes = caller ? caller->call_bytes + frame_bytes_per_thread(function) : 0;
  return frame;
}

void frame_give(struct warp *w, struct frame *frame) {
  frame->next_free = w->free_frames;
  w->free_frames = frame;
}

void frame_destroy_all(struct warp *w) {
  while (w->free_frames) {
    struct frame *frame = w->free_frames;
    w->free_frames = frame->next_free;
    free(frame->parameters);
    UNPOISON(frame->registers, frame->function->register_bytes);
    free(frame);
  }
}
