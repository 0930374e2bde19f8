// Faults of executing ops: fills in thread and place, records the fault, and stops the cluster when the chip
// would stop.
#include "virtual-hopper/machine/machine.h"

#include <stdarg.h>
#include <stdio.h>

#include "virtual-hopper/machine/op.h"

static void copy_index(uint32_t to[3], uint32_t x, uint32_t y, uint32_t z) {
  to[0] = x;
  to[1] = y;
  to[2] = z;
}

static void place_thread(struct fault_place *place, const struct block *block, uint32_t thread) {
  const struct vhopper_dim *size = &block->launch->block;
  copy_index(place->thread, thread % size->x, thread / size->x % size->y, thread / (size->x * size->y));
}

void machine_place(struct fault_place *place, const struct block *block, const struct op *op,
                   uint32_t thread) {
  *place = (struct fault_place){.file = "", .instruction = ""};
  if (op && op->source)
    fault_place_from_location(place, op->module, op->source->location, op->source->text,
                              op->source->ptx_line);
  place->has_thread = true;
  copy_index(place->block, block->index.x, block->index.y, block->index.z);
  place_thread(place, block, thread);
}

struct source_line machine_line(const struct op *op) {
  if (!op || !op->source) return (struct source_line){.file = ""};
  return fault_line_of_location(op->module, op->source->location);
}

// fault->place is filled in.
static void record(struct warp *w, struct fault *fault) {
  bool fatal = fault->severity == FAULT_FATAL || fault->device_error;
  if (fatal) {
    fault->severity = FAULT_FATAL;
    if (!fault->device_error) fault->device_error = ERROR_LAUNCH_FAILURE;
  }
  fault_record(w->launch->report, fault);
  if (!fatal) return;
  cluster_fail(w->block->cluster, fault->device_error);
  w->yield = true;
}

void warp_fault(struct warp *w, const struct op *op, uint32_t lane, struct fault *fault) {
  machine_place(&fault->place, w->block, op, warp_thread(w, lane));
  snprintf(fault->kernel, sizeof fault->kernel, "%s", w->launch->function->name);
  record(w, fault);
}

void warp_fault_each(struct warp *w, const struct op *op, const struct fault *fault) {
  struct fault each = *fault;
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (left == w->lanes) {
      warp_fault(w, op, lane, &each);
      continue;
    }
    place_thread(&each.place, w->block, warp_thread(w, lane)); // all else is as it was
    record(w, &each);
  }
}

void warp_faultf(struct warp *w, const struct op *op, uint32_t lane, enum rule_id rule, int device_error,
                 const char *format, ...) {
  struct fault fault = {.rule = rule,
                        .severity = device_error ? FAULT_FATAL : FAULT_ERROR,
                        .device_error = device_error,
                        .role = "executes this"};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault.message, sizeof fault.message, format, arguments);
  va_end(arguments);
  warp_fault(w, op, lane, &fault);
}
