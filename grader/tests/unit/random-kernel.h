// Random kernels as PTX text: accesses of all types, spaces and shapes, in whole warps and in parts of them,
// with and without what would order them. The same number gives the same kernel.
#ifndef TESTS_UNIT_RANDOM_KERNEL_H
#define TESTS_UNIT_RANDOM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

enum {
  RANDOM_DATA_BYTES = 16384, // of the parameter `data`; the parameter `out` has RANDOM_OUT_BYTES
  RANDOM_OUT_WORDS = 22,     // of each thread
  RANDOM_MOST_THREADS = 4 * 128,
  RANDOM_OUT_BYTES = RANDOM_MOST_THREADS * RANDOM_OUT_WORDS * 4
};

struct random_kernel {
  char *text; // of the entry k(.param .u64 out, .param .u64 data); free it
  uint32_t grid, block, cluster;
  bool apart; // no block touches what another one does
};

struct random_kernel random_kernel_make(uint64_t number);

#endif
