// Device memory and address translation: the only room that turns an address into a host pointer. Device
// memory is one reserved range of host address space. A page costs nothing until its first access. There are
// gaps between allocations, so an access outside every allocation is caught at once. Allocation is
// single-threaded. Lookups may run on every worker during a launch.
#ifndef VIRTUAL_HOPPER_MEMORY_MEMORY_H
#define VIRTUAL_HOPPER_MEMORY_MEMORY_H

#include <sys/types.h>

#include "virtual-hopper/machine/machine.h"

enum { MEMORY_FREED_TEXT = 96 };

struct memory_allocation {
  uint64_t address;
  size_t bytes;
  uint64_t id;
  char name[64];
  bool handed; // the referee gave this allocation to the program to work on
  bool freed;
  bool shared;    // its pages belong to a file
  bool constant;  // a __constant__ variable
  bool heap;      // from malloc in a kernel
  bool pinned;    // page-locked host memory: the program's own address, and pages that it maps, too
  bool managed;   // the host's as well, in pages that the program maps, too
  char *freed_by; // words for a message, "by thread .."; NULL: unknown
};

// The program's own live allocations may have at most `capacity` bytes. Their host memory, accessed or not,
// is taken from `budget`. The records of freed allocations are taken from `budget`, too. A NULL budget has no
// limit.
struct memory *memory_create(size_t capacity, struct budget *budget);
void memory_destroy(struct memory *m);
// Returns a cudaError number: 0, 1 (invalid value) or 2 (out of memory). memory_hand and memory_share return
// the same numbers.
int memory_allocate(struct memory *m, size_t bytes, size_t alignment, uint64_t *address);
// Returns 0, or 1 (invalid value). `by` says who freed the allocation, for messages: NULL, or words such as
// "by thread 3 ..", which are copied. A kernel that frees memory must count that in launch->frees.
int memory_free(struct memory *m, uint64_t address, const char *by);
void memory_name(struct memory *m, uint64_t address, const char *name);
void memory_mark_constant(struct memory *m, uint64_t address);
void memory_mark_heap(struct memory *m, uint64_t address);
bool memory_is_the_hosts(const struct memory *m, uint64_t address); // page-locked or managed
bool memory_has_managed(const struct memory *m);                    // there is some, or was
// Makes an allocation that the referee hands to the program. The program's own allocations don't reduce the
// room for it. It begins `lead` bytes, less than 64 KiB, behind a multiple of 64 KiB. The errors are those of
// memory_allocate.
int memory_hand(struct memory *m, size_t bytes, size_t lead, const char *name, uint64_t *address);
// Replaces the pages of a handed allocation by the pages of a file. Any process that has the file then sees
// the kernels' writes. `offset` is where the allocation's first byte is in the file, as far behind a multiple
// of 64 KiB as on the device. The file must cover it up to the next multiple of 64 KiB. The errors are those
// of memory_allocate.
int memory_share(struct memory *m, uint64_t address, int file, off_t offset);
// Page-locked host memory at [address, address + bytes) of the program's address space becomes an allocation
// at that very address. `pages` receives what the program has to map (pinned.h); the caller closes the file.
// Not during a launch. Returns 0; 1 (invalid value): device memory or a window of the device lies at these
// addresses; 2 (out of memory); 712: a part of it is page-locked already.
struct memory_pages {
  uint64_t address;
  size_t bytes;
  int file;
};
int memory_pin(struct memory *m, uint64_t address, size_t bytes, struct memory_pages *pages);
// Returns 0, or 1: no page-locked memory begins there. Not during a launch.
int memory_unpin(struct memory *m, uint64_t address, const char *by); // `by`: as for memory_free
// Makes managed memory of the program's allocation that begins at the address: its pages become those of a
// file, which the program maps at that very address. They hold what the allocation does if `keeps` says so,
// else zeros. The caller closes the file. Not during a launch. Returns 0; 1 (invalid value): no such
// allocation begins there, or it is managed memory already; 2 (out of memory).
int memory_make_managed(struct memory *m, uint64_t address, bool keeps, int *file);
// For a process that was forked from the device's: what it writes is seen by no other process from now on.
// False: the host has no memory for it.
bool memory_keep_private(struct memory *m);
bool memory_is_pinned(const struct memory *m, uint64_t address);
size_t memory_used(const struct memory *m);
// Returns the live allocation that contains the address, or NULL.
const struct memory_allocation *memory_find(const struct memory *m, uint64_t address);
// Returns an allocation of which some address has this lower half: what is left of a pointer to global memory
// that is taken for one to shared memory. NULL: there is none.
const struct memory_allocation *memory_find_lower_half(const struct memory *m, uint32_t half);
// Returns whether the address lies in a handed allocation.
bool memory_is_handed(const struct memory *m, uint64_t address);
// Returns whether the address lies in a freed allocation.
bool memory_was_freed(const struct memory *m, uint64_t address);
// Describes the address by the nearest allocation below or above, live or freed, for messages: "4 bytes past
// the end of `out` (4096 bytes)".
void memory_describe(const struct memory *m, uint64_t address, char *text, size_t size);
// Returns true for an address so far from every allocation that no index can reach it. Such an address is
// foreign, for example a host address.
bool memory_is_far(const struct memory *m, uint64_t address);
// Returns NULL when the bytes are not wholly inside one live allocation.
uint8_t *memory_host(const struct memory *m, uint64_t address, size_t bytes);

// The memory that a generic address means for a thread of a warp.
struct memory_place {
  uint8_t *host; // NULL: unmapped, outside, or not allowed (an exited block's shared memory, param written)
  enum ptx_space_kind { MEMORY_NOWHERE, MEMORY_GLOBAL, MEMORY_SHARED, MEMORY_LOCAL, MEMORY_PARAM } kind;
  struct block *owner; // SHARED: the block that owns the memory
  uint32_t offset;     // SHARED: shared offset in the owner (>= SHARED_FIRST_OFFSET); LOCAL, PARAM: offset
};
struct memory_place memory_resolve(const struct warp *w, uint32_t lane, uint64_t generic_address,
                                   size_t bytes);
// Returns the host pointer for a shared offset in one block, or NULL when [offset, offset+bytes) isn't wholly
// in the block's shared memory.
uint8_t *memory_shared(const struct block *b, uint32_t offset, size_t bytes);
// Takes a 32-bit shared address (rank << 24 | offset). Returns the block of b's cluster that owns the
// address, or NULL when the cluster has no such rank.
struct block *memory_shared_owner(const struct block *b, uint32_t shared_address, uint32_t *offset);

// The block of b's cluster that a generic address leads to, if it has ended; else NULL.
const struct block *memory_ended_block(const struct block *b, uint64_t address);

// Describes the memory at a generic address in words: "4 bytes past the end of `out` (4096 bytes at 0x...)".
void memory_describe_place(const struct warp *w, uint64_t address, size_t bytes, char *text, size_t size);
// Writes advice for an address that is completely wrong (null, a host address), or that needs more dynamic
// shared memory. Returns false, and leaves `text` unchanged, when there is no advice.
bool memory_advise(const struct warp *w, uint64_t address, char *text, size_t size);
// Returns true for addresses near null, and for addresses far from all memory that a thread can reach.
bool memory_is_no_place(const struct warp *w, uint64_t address);

#endif
