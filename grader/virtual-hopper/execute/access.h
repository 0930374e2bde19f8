// Memory accesses of a warp: finds the memory at the addresses of the running lanes. Loads, stores and
// atomics use these functions.
#ifndef VIRTUAL_HOPPER_EXECUTE_ACCESS_H
#define VIRTUAL_HOPPER_EXECUTE_ACCESS_H

#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/memory/memory.h"
#include "virtual-hopper/order/order.h"

enum { ACCESS_MOST_ELEMENTS = 8, ACCESS_MOST_CONDITIONS = 6 };

// What decode knows about an access, beyond struct op; op->extra points to it. In the op, `a` is the base
// (64 bits per lane, or 32 bits when narrow), `immediate` the offset, `space` the state space, `width` the
// size of an element in bytes, and `count` the number of elements.
struct access_plan {
  uint32_t bytes;                           // per lane: width * count
  uint32_t registers[ACCESS_MOST_ELEMENTS]; // destinations or sources
  uint8_t storage;                          // bytes per lane that each of these registers takes: 4, 8 or 16
  uint8_t register_bytes;                   // size of the declared type; loads extend values to this size
  bool is_signed, narrow, is_call_slot;
  bool is_words; // weak, of shared memory by addresses of 32 bits, and of words in registers of words
  // Of a load whose value some lanes don't use: they do where any of these predicates is as given. The others
  // are not judged. None: all use it.
  uint8_t condition_count;
  bool chosen_later; // the value may matter for other lanes, too, which is not known at the load
  struct load_condition {
    uint32_t predicate;
    bool when;
  } conditions[ACCESS_MOST_CONDITIONS];
  enum order_strength strength;
};

// Lane i accesses first + i % 16 * step + i / 16 * half.
struct access_stride {
  uint64_t first;
  int64_t step, half;
  uint8_t *host;   // of `first`
  uint32_t offset; // SHARED: of `first`
};

// The memory that the lanes access. `host` is unset for lanes that don't run.
struct access {
  uint32_t lanes;
  bool is_strided;             // strided.h; its arrays are unset until strided_spell_out
  struct access_stride stride; // if so
  enum {
    ACCESS_GLOBAL,
    ACCESS_SHARED,
    ACCESS_MIXED,
    ACCESS_PRIVATE
  } where; // SHARED: all lanes access the block `owner`; PRIVATE: local or param memory
  struct block *owner;
  bool handed;                  // GLOBAL: all lanes access a buffer that the program was handed
  uint64_t address[WARP_LANES]; // as computed; MIXED: generic; unset for PRIVATE call slots
  uint32_t offset[WARP_LANES];  // SHARED: offsets in the shared memory of `owner`
  uint8_t *host[WARP_LANES];
  struct memory_place places[WARP_LANES]; // MIXED only
};

// Fills *a for w->lanes. Returns false after a fault; then the cluster stops.
bool access_resolve(struct warp *w, const struct op *op, const struct access_plan *plan, bool write,
                    struct access *a);
// The window on global memory that the op used last; what follows from it, once the access lies inside.
static inline struct memory_window *access_window(struct warp *w, const struct op *op) {
  struct memory_window *window = &w->windows[((uintptr_t)op / sizeof *op) & 3];
  if (window->frees != w->launch->frees) *window = (struct memory_window){.frees = w->launch->frees};
  return window;
}
static inline void access_in_window(struct warp *w, const struct memory_window *window, struct access *a) {
  a->handed = window->handed;
  if (window->hosts) w->block->cluster->host_looks++;
}
// Reports the access to the order engine, one group of lanes for each memory. Call only when launch->check.
void access_order(struct warp *w, const struct op *op, const struct access *a, uint32_t bytes,
                  enum order_kind kind, enum order_strength strength, const struct order_store *store);
// Call after a store. Reports and repairs the live mbarriers that the store wrote over.
void access_barriers_overwritten(struct warp *w, const struct op *op, struct access *a, uint32_t bytes);
// Returns a hash of the `bytes` at each lane's address. Compare two of them to see if a store changed memory.
uint64_t access_contents(const struct access *a, uint32_t bytes);
// Returns true when any lane accesses global memory.
bool access_reaches_global(const struct access *a);
static inline uint32_t access_lane_count(const struct access *a) {
  return a->lanes == UINT32_MAX ? WARP_LANES : (uint32_t)__builtin_popcount(a->lanes);
}
// Returns how many lanes access a buffer that the program was handed.
uint32_t access_handed_lanes(const struct warp *w, const struct access *a);
// Of these lanes, how many access `bytes` that are not all zero.
uint32_t access_value_lanes(const struct warp *w, const struct access *a, uint32_t bytes);

// True, and a fault, if the address lies in a block of the cluster that has ended. what: as of a peer's
// access.
bool access_fault_ended(struct warp *w, const struct op *op, uint32_t lane, uint64_t address,
                        enum deed_kind what);

// Records the fault of a bad access: rule `out-of-bounds` (CUDA error 700) or `misaligned-address` (716). The
// message says what lies near the address. The fault ends the grid.
void access_fault(struct warp *w, const struct op *op, uint32_t lane, uint64_t address, size_t bytes,
                  bool write);

#endif
