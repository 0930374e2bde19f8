// What a cluster knows of tensor maps in global memory: who has acquired them, what was released to the
// proxy that reads them, and which copies may still read them. Private to the room.
#ifndef VIRTUAL_HOPPER_ORDER_TENSOR_MAPS_H
#define VIRTUAL_HOPPER_ORDER_TENSOR_MAPS_H

#include "virtual-hopper/order/clock.h"
#include "virtual-hopper/order/order.h"

enum { MOST_MAP_ACQUIRES = 4096, MOST_MAP_USES = 256 };

struct map_acquire { // a thread's acquiring tensormap fence on a map in global memory
  uint64_t address;
  struct clock *base; // what it had seen then
  uint32_t agent, epoch;
  const struct op *op;
  uint64_t others_seen, now; // of other clusters; the time between clusters
  struct map_acquire *next;
};

struct map_use { // the last copy by a thread that reads a map
  uint64_t address;
  uint64_t number; // among all such copies of the cluster
  const struct op *op;
  uint32_t thread;       // agent
  uint32_t agent, epoch; // seen by who knows that the map has been read: of a load's barrier, or of stores
  uint32_t commits;      // bulk groups that the thread has committed since
  uint32_t waited;       // its epoch at the first wait for groups that covers the copy; 0: none
  bool reported;
};

struct map_view {
  struct map_acquire *acquires;
  uint32_t acquire_count; // beyond MOST_MAP_ACQUIRES every map counts as fresh
  struct gather released; // what had been seen at a release that reaches beyond the block
  bool releases;          // some thread has released a map
  struct map_use *uses;   // [MOST_MAP_USES]; NULL before the first
  uint32_t use_count;
  uint64_t copies, first, end; // end: of the addresses of the maps used
};

void maps_free(struct map_view *v);
// A copy that reads the map at `map` has been issued.
void maps_note_use(struct actor by, const struct async_copy *copy);
// The lane commits a bulk group, or waits for its groups but the newest.
void maps_commit(struct warp *w, uint32_t lane);
void maps_group_wait(struct warp *w, uint32_t lane, uint32_t newest);
// The lanes release what they have seen; of scope .cta, it doesn't count. Their next epochs begin after it.
// op: NULL where its scope is wider in any case.
void maps_release(struct warp *w, const struct op *op, uint32_t lanes);
// An access that changes global memory: may some copy still read a map there?
void maps_check_write(struct warp *w, const struct op *op, uint32_t lanes, const uint64_t address[],
                      uint32_t bytes, const struct order_store *store);

#endif
