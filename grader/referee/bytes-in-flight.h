// How many bytes a kernel keeps in flight: the loads of a block, as the virtual Hopper counts them, times the
// blocks that fit on a processor. In: a built program. Out: bytes. They are only shown to the student; no
// verdict depends on them.
#ifndef REFEREE_BYTES_IN_FLIGHT_H
#define REFEREE_BYTES_IN_FLIGHT_H

#include <stdint.h>

struct task;
struct fault_report;

struct bytes_in_flight {
  uint64_t block_bytes; // most bytes of loads in flight in a block; 0: unknown
  unsigned block_threads, block_shared_bytes, grid_blocks;
};

// Runs a medium-sized case on the virtual Hopper, without judging it.
struct bytes_in_flight bytes_in_flight_observe(const struct task *task);
// The same from a report, for the kernel that loads most.
struct bytes_in_flight bytes_in_flight_of(const struct fault_report *report);
// How many of its blocks are on a processor at once, as far as threads, shared memory and the grid allow.
// `processors`: how many the GPU has.
unsigned bytes_in_flight_blocks(const struct bytes_in_flight *in_flight, unsigned processors);

#endif
