// Device memory and address translation: the only room that turns an address into a host pointer.
// Device memory is one reserved range of host address space; pages cost nothing until touched; allocations have gaps between them,
// so an access outside every allocation is caught at once. Allocation is single-threaded; lookups may run on every worker during a launch.
#ifndef VIRTUAL_HOPPER_MEMORY_H
#define VIRTUAL_HOPPER_MEMORY_H

#include "virtual-hopper/machine.h"

struct memory_allocation {
  uint64_t address;
  size_t bytes;
  uint64_t id;
  char name[64];
  bool handed; // by the referee: what the program is to work on
  bool freed;
};

// The program's own live allocations may have `capacity` bytes, and take up `allowance` of the host's memory, touched or not; 0: no such limit.
struct memory *memory_create(size_t capacity, size_t allowance);
void memory_destroy(struct memory *m);
int memory_allocate(struct memory *m, size_t bytes, size_t alignment,
                    uint64_t *address);              // cudaError numbers: 2 out of memory
int memory_free(struct memory *m, uint64_t address); // 1 invalid value
void memory_name(struct memory *m, uint64_t address, const char *name);
// An allocation that the program is handed: there is room for it however much the program has taken for itself. The same errors.
int memory_hand(struct memory *m, size_t bytes, size_t alignment, const char *name, uint64_t *address);
size_t memory_used(const struct memory *m);
// The live allocation that holds the address, or NULL.
const struct memory_allocation *memory_find(const struct memory *m, uint64_t address);
// Whether the address lies in an allocation that the program was handed.
bool memory_is_handed(const struct memory *m, uint64_t address);
// The nearest allocation below/above, live or freed, for messages ("4 bytes past the end of `out` (4096 bytes)").
void memory_describe(const struct memory *m, uint64_t address, char *text, size_t size);
// True for an address so far from every allocation that no index leads there: somebody else's, such as the host's.
bool memory_is_far(const struct memory *m, uint64_t address);
uint8_t *memory_host(const struct memory *m, uint64_t address,
                     size_t bytes); // NULL when not wholly inside one live allocation

// Where a generic address leads for a thread of a warp.
struct memory_place {
  uint8_t *host; // NULL: unmapped, outside, or not allowed (an exited block's shared memory, param written)
  enum ptx_space_kind { MEMORY_NOWHERE, MEMORY_GLOBAL, MEMORY_SHARED, MEMORY_LOCAL, MEMORY_PARAM } kind;
  struct block *owner; // SHARED: the block whose memory it is
  uint32_t offset;     // SHARED: shared offset in the owner (>= SHARED_FIRST_OFFSET); LOCAL, PARAM: offset
};
struct memory_place memory_resolve(const struct warp *w, uint32_t lane, uint64_t generic_address,
                                   size_t bytes);
// Shared offset -> host pointer in one block, or NULL when [offset, offset+bytes) isn't wholly in its shared memory.
uint8_t *memory_shared(const struct block *b, uint32_t offset, size_t bytes);
// A 32-bit shared address (rank << 24 | offset): the block of b's cluster that owns it, or NULL when the cluster has no such rank.
struct block *memory_shared_owner(const struct block *b, uint32_t shared_address, uint32_t *offset);

// What lies at a generic address, in words: "4 bytes past the end of `out` (4096 bytes at 0x...)".
void memory_describe_place(const struct warp *w, uint64_t address, size_t bytes, char *text, size_t size);
// What to do about an address that is wrong as a whole (null, of the host) or needs more dynamic shared memory. False, and text as it was:
// nothing is known.
bool memory_advise(const struct warp *w, uint64_t address, char *text, size_t size);
// True for a null pointer and what lies near it, and for addresses far from all that a thread can reach.
bool memory_is_no_place(const struct warp *w, uint64_t address);

// Fault for a bad access: rule `out-of-bounds` (700) or `misaligned-address` (716), with what lies near. Ends the grid.
void memory_fault(struct warp *w, const struct op *op, uint32_t lane, uint64_t address, size_t bytes,
                  bool write);

#endif
