// What kernels ask of CUDA's runtime on the device (CUDA Programming Guide, "CUDA Dynamic Parallelism"): to
// launch kernels, to copy, to fill. It is written down here; the device does it once the grid has ended, in
// the order in which it was asked for, and what goes to cudaStreamTailLaunch last. A program may not count on
// any earlier time.
#ifndef VIRTUAL_HOPPER_EXECUTE_CHILD_H
#define VIRTUAL_HOPPER_EXECUTE_CHILD_H

#include "virtual-hopper/machine/machine.h"
#include "virtual-hopper/machine/program.h"

enum child_kind { CHILD_PREPARED, CHILD_KERNEL, CHILD_COPY, CHILD_FILL }; // prepared: has parameters alone
enum { CHILD_MOST_DEPTH = 24, CHILD_MOST = 1 << 16 };

struct child {
  enum child_kind kind;
  bool last; // cudaStreamTailLaunch
  const struct ptx_function *kernel;
  struct vhopper_dim grid, block;
  uint32_t shared_bytes;
  uint64_t parameters;     // where the kernel that launches has put them
  uint64_t to, from, size; // a fill: `from` is the byte
};

struct child_error { // of the runtime's calls of one thread: the last one that failed
  uint64_t block;
  uint32_t thread;
  int error;
};

// Written only by the cluster that has the turn.
struct child_list {
  struct child *all; // in the order in which they were prepared
  uint32_t *order;   // [started] those that were launched, in that order
  uint32_t count, started, room;
  struct child_error *errors;
  uint32_t error_count, error_room;
  uint64_t *pieces; // of memory for parameters; the last one has `left` bytes at its end
  uint32_t piece_count, piece_room, left;
  uint32_t depth; // of the grid that launches: 0 for one that the host launched
};

struct child_list *child_list_create(uint32_t depth);
void child_list_free(struct child_list *list, struct memory *memory); // NULL is allowed

op_execute child_prepare, child_start, child_copy, child_fill, child_last_error, child_seen_error,
    child_make_handle, child_nothing, child_device_number, child_device_count, child_allocate, child_free,
    child_error_name, child_error_text;
// Returns what the device's runtime does for the function, and the number of its arguments; NULL: it is none
// of those that are known here. op->extra is a struct call_site.
op_execute *child_function(const char *name, uint32_t *arguments);

#endif
