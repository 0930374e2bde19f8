// Reads and writes of surfaces: bytes at coordinates of an array, as they are. In: objects in device memory
// (base/texture.h). Out: registers, or the array's bytes. The first coordinate counts bytes. PTX ISA 9.1,
// 9.7.11.
#include <stdio.h>
#include <string.h>

#include "virtual-hopper/base/texture.h"
#include "virtual-hopper/execute/access.h"
#include "virtual-hopper/execute/texture.h"
#include "virtual-hopper/machine/machine.h"

enum { MOST_BYTES = 16 };

struct surface_access {
  struct order_store order;
  uint32_t lanes; // that touch memory
  uint64_t address[WARP_LANES];
  uint8_t *host[WARP_LANES];
  uint8_t bytes[WARP_LANES][MOST_BYTES];
  uint32_t size;
};

static uint32_t bytes_of(const struct surface_plan *plan) {
  return plan->count * plan->element_bytes;
}

static bool report(struct warp *w, const struct op *op, uint32_t lane, const char *format, long long a,
                   long long b) {
  struct fault f = {
      .rule = RULE_OUT_OF_BOUNDS, .severity = FAULT_FATAL, .device_error = ERROR_ILLEGAL_ADDRESS};
  snprintf(f.role, sizeof f.role, op->execute == surface_store ? "writes a surface" : "reads a surface");
  snprintf(f.message, sizeof f.message, format, a, b); // NOLINT: the callers' formats take two numbers
  snprintf(f.remedy, sizeof f.remedy,
           "The first coordinate of a surface counts bytes: x * sizeof(element). Check it against the "
           "array's width, and the others against its height and depth.");
  warp_fault(w, op, lane, &f);
  return false;
}

static bool take_object(struct warp *w, const struct op *op, uint32_t lane, struct texture_object *t) {
  const struct surface_plan *plan = op->extra;
  const uint64_t handle = async_address_of(w, &plan->object, lane);
  const uint8_t *bytes = memory_host(w->launch->memory, handle, sizeof *t);
  if (bytes) memcpy(t, bytes, sizeof *t);
  if (bytes && t->magic == TEXTURE_MAGIC && t->is_surface && t->width && t->height && t->depth) return true;
  return report(w, op, lane,
                "0x%llx is no surface object: it was never made, or it was destroyed (%lld bytes there).",
                (long long)handle, bytes ? (long long)sizeof *t : 0);
}

// Places a lane. False: a fault. The lane stays out of `lanes` when it is outside and that is allowed.
static bool place_lane(struct warp *w, const struct op *op, uint32_t lane, struct surface_access *a) {
  const struct surface_plan *plan = op->extra;
  struct texture_object t;
  if (!take_object(w, op, lane, &t)) return false;
  const int64_t texel = t.channels * t.bits / 8, size = bytes_of(plan);
  const int64_t limits[TEXTURE_MOST_AXES] = {t.width * texel, t.height, t.depth};
  int64_t at[TEXTURE_MOST_AXES] = {0, 0, 0};
  for (uint32_t axis = 0; axis < plan->axes; axis++)
    at[axis] = (int32_t)warp_register32(w, plan->coordinates[axis])[lane];
  if (plan->layered) at[2] = (int32_t)warp_register32(w, plan->layer)[lane];
  if (at[0] % size)
    return report(w, op, lane, "Byte %lld of a row isn't a multiple of the %lld bytes of the access.", at[0],
                  size);
  for (uint32_t axis = 0; axis < TEXTURE_MOST_AXES; axis++) {
    const int64_t last = limits[axis] - (axis ? 1 : size);
    if (at[axis] >= 0 && at[axis] <= last) continue;
    if (plan->bounds == SURFACE_ZERO) return true;
    if (plan->bounds == SURFACE_TRAP)
      return report(w, op, lane,
                    axis ? "Row or layer %lld lies outside: the surface has %lld."
                         : "Byte %lld of a row lies outside: a row of the surface has %lld bytes.",
                    at[axis], limits[axis]);
    at[axis] = at[axis] < 0 ? 0 : last;
  }
  a->address[lane] = t.address + (uint64_t)at[2] * t.slice + (uint64_t)at[1] * t.pitch + (uint64_t)at[0];
  a->host[lane] = memory_host(w->launch->memory, a->address[lane], (size_t)size);
  if (!a->host[lane]) {
    access_fault(w, op, lane, a->address[lane], (size_t)size, op->execute == surface_store);
    return false;
  }
  a->lanes |= 1u << lane;
  return true;
}

static bool place_all(struct warp *w, const struct op *op, struct surface_access *a) {
  memset(a, 0, sizeof *a);
  a->size = bytes_of(op->extra);
  for (uint32_t left = w->lanes; left; left &= left - 1)
    if (!place_lane(w, op, (uint32_t)__builtin_ctz(left), a)) return false;
  return true;
}

void surface_load(struct warp *w, const struct op *op) {
  const struct surface_plan *plan = op->extra;
  struct surface_access a;
  if (!place_all(w, op, &a)) return;
  if (w->launch->check && a.lanes)
    order_global_access(w, op, a.lanes, a.address, a.size, ORDER_READ, ORDER_WEAK, NULL);
  for (uint32_t left = w->lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (a.lanes >> lane & 1) memcpy(a.bytes[lane], a.host[lane], a.size);
    for (uint32_t n = 0; n < plan->count; n++) {
      uint64_t value = 0;
      memcpy(&value, a.bytes[lane] + n * plan->element_bytes, plan->element_bytes);
      if (plan->elements[n] == OP_NO_REGISTER) continue;
      if (plan->element_bytes == 8)
        warp_register64(w, plan->elements[n])[lane] = value;
      else
        warp_register32(w, plan->elements[n])[lane] = (uint32_t)value;
    }
  }
}

static bool changes(const struct order_store *order, uint32_t lane) {
  const struct surface_access *a = (const struct surface_access *)order;
  return memcmp(a->bytes[lane], a->host[lane], a->size) != 0;
}

static uint32_t word(const struct order_store *order, uint32_t lane, uint32_t offset) {
  const struct surface_access *a = (const struct surface_access *)order;
  uint32_t bits = 0;
  memcpy(&bits, a->bytes[lane] + offset, a->size - offset < 4 ? a->size - offset : 4);
  return bits;
}

void surface_store(struct warp *w, const struct op *op) {
  const struct surface_plan *plan = op->extra;
  struct surface_access a;
  if (!place_all(w, op, &a)) return;
  a.order = (struct order_store){.changes = changes, .word = word};
  for (uint32_t left = a.lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    for (uint32_t n = 0; n < plan->count; n++) {
      const uint64_t value = plan->element_bytes == 8 ? warp_register64(w, plan->elements[n])[lane]
                                                      : warp_register32(w, plan->elements[n])[lane];
      memcpy(a.bytes[lane] + n * plan->element_bytes, &value, plan->element_bytes);
    }
  }
  if (w->launch->check && a.lanes)
    order_global_access(w, op, a.lanes, a.address, a.size, ORDER_WRITE, ORDER_WEAK, &a.order);
  struct cluster *c = w->block->cluster;
  for (uint32_t left = a.lanes; left; left &= left - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(left);
    if (c->watching && memcmp(a.host[lane], a.bytes[lane], a.size) != 0) c->changes++;
    memcpy(a.host[lane], a.bytes[lane], a.size);
  }
  c->observed.plain_global_store_bytes += (uint64_t)a.size * (uint32_t)__builtin_popcount(a.lanes);
  c->observed.own_store_bytes += (uint64_t)a.size * (uint32_t)__builtin_popcount(a.lanes);
}
