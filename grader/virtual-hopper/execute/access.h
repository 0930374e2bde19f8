// Memory accesses of a warp: where the running lanes' addresses lead. Used by loads, stores and atomics.
#ifndef VIRTUAL_HOPPER_WARP_ACCESS_H
#define VIRTUAL_HOPPER_WARP_ACCESS_H

#include "virtual-hopper/decode/op.h"
#include "virtual-hopper/memory.h"
#include "virtual-hopper/order/order.h"

enum { ACCESS_MOST_ELEMENTS = 8 };

// What decode knows about an access beyond struct op; op->extra. op->a is the base (64-bit per lane, or 32-bit when narrow), op->immediate the offset,
// op->space the space, op->width and op->count the element.
struct access_plan {
  uint32_t bytes;                           // of one lane: width * count
  uint32_t registers[ACCESS_MOST_ELEMENTS]; // destinations or sources
  uint8_t storage;                          // bytes per lane of these registers: 4, 8 or 16
  uint8_t register_bytes;                   // of the declared register type (loads: to extend to)
  bool is_signed, narrow, is_call_slot;
  enum order_strength strength;
};

// Where the lanes lead. `host` of lanes that don't run is unset.
struct access {
  uint32_t lanes;
  enum {
    ACCESS_GLOBAL,
    ACCESS_SHARED,
    ACCESS_MIXED,
    ACCESS_PRIVATE
  } where; // SHARED: all in one block, `owner`; PRIVATE: local, param
  struct block *owner;
  bool handed;                  // GLOBAL: all of it in a buffer that the program was handed
  uint64_t address[WARP_LANES]; // as computed; MIXED: generic; PRIVATE call slots: unset
  uint32_t offset[WARP_LANES];  // SHARED: offsets in the owner
  uint8_t *host[WARP_LANES];
  struct memory_place places[WARP_LANES]; // MIXED only
};

// Fills *a for w->lanes. False: a fault was recorded and the cluster stops.
bool access_resolve(struct warp *w, const struct op *op, const struct access_plan *plan, bool write,
                    struct access *a);
// Tells the order engine (call only when launch->check), lane groups by where they lead.
void access_order(struct warp *w, const struct op *op, const struct access *a, uint32_t bytes,
                  enum order_kind kind, enum order_strength strength);
// After a store: live mbarriers that it hit are reported and repaired.
void access_barriers_overwritten(struct warp *w, const struct op *op, const struct access *a, uint32_t bytes);
// True when any lane leads to global memory.
bool access_reaches_global(const struct access *a);
// How many lanes lead to a buffer that the program was handed.
uint32_t access_handed_lanes(const struct warp *w, const struct access *a);

#endif
