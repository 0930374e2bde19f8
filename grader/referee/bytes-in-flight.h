// How many bytes a kernel keeps under way: what the virtual Hopper sees of the loads in a block, times the blocks that fit on a
// processor. In: a built program. Out: bytes. For the student's eyes: nothing is judged by it.
#ifndef REFEREE_UNDER_WAY_H
#define REFEREE_UNDER_WAY_H

#include <stdint.h>

struct task;
struct fault_report;

struct under_way {
  uint64_t block_bytes; // most bytes of loads under way in a block; 0: unknown
  unsigned block_threads, block_shared_bytes, grid_blocks;
};

// Runs a medium-sized case on the virtual Hopper, without judging it.
struct under_way under_way_observe(const struct task *task);
// The same from a report: of the kernel that loads most.
struct under_way under_way_of(const struct fault_report *report);
// How many of its blocks are on a processor at once, as far as threads, shared memory and the grid allow. `processors`: of the GPU.
unsigned under_way_blocks(const struct under_way *under_way, unsigned processors);

#endif
