// What a launch touches in global memory, byte by byte. In: accesses of its threads and copies, from all
// workers. Out: the first byte that conflicts with another launch, or with a region. One idea: bits for the
// bytes of a page, and for each 64 bytes the instruction that comes first in the program.
#ifndef VIRTUAL_HOPPER_ORDER_TOUCHED_H
#define VIRTUAL_HOPPER_ORDER_TOUCHED_H

#include "virtual-hopper/order/streams.h"

struct async_copy;
struct op;

enum { TOUCH_READS = 1, TOUCH_WRITES = 2, TOUCH_STRONG = 4 };

// keeps_values: notes what was in memory before the launch wrote there.
struct touched *touched_create(const struct memory *memory, struct budget *budget, bool keeps_values);
void touched_destroy(struct touched *t); // NULL is allowed
void touched_note(struct touched *t, uint64_t address, uint64_t bytes, unsigned how, const struct op *op);
void touched_note_copy(struct touched *t, const struct async_copy *copy);
void touched_note_map(struct touched *t, uint64_t address, const struct op *op);
// The launch orders its accesses by a fence, or by a strong access to memory that the host shares: the host
// may wait for a flag of the kernel's.
void touched_note_fence(struct touched *t);
bool touched_is_ordered(const struct touched *t);
bool touched_tells_host(const struct touched *t); // and has written memory that the host shares
bool touched_is_told(const struct touched *t);    // it may have waited for the host's word
// TOUCH_READS, TOUCH_WRITES. page: its number.
unsigned touched_page_use(const struct touched *t, uint64_t page);
void touched_forget(struct touched *t, uint64_t address, uint64_t bytes);

struct touch_conflict {
  uint64_t address;
  bool earlier_writes, later_writes;
  const struct op *earlier, *later; // NULL: not a launch
  bool earlier_map, later_map;      // the bytes belong to a tensor map that the launch uses
};
// Both return false when there is no conflict. Two launches that both use an atomic or a strong access on the
// same byte, which the earlier one wrote so, count as synchronised by it. Two launches that write the same
// value don't conflict.
bool touched_meet(const struct touched *earlier, const struct touched *later, struct touch_conflict *found);
// Only `op` of the launch, its kind of access and its map are filled in, as the earlier one's. as_word: the
// region is written in one piece, so what the launch only reads by strong accesses doesn't conflict.
bool touched_meet_region(const struct touched *t, const struct stream_region *region, bool region_writes,
                         bool as_word, struct touch_conflict *found);
bool regions_meet(const struct stream_region *a, const struct stream_region *b, uint64_t *address);

#endif
