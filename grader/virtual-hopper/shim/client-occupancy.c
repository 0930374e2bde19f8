// Computes how many blocks and clusters of a kernel fit on the device at once. In: the kernel's registers,
// threads and shared memory; out: numbers of blocks, CUDA errors. The figures are those of compute capability
// 9.0 (CUDA C++ Programming Guide, "Technical specifications").
#include "virtual-hopper/shim/client.h"

enum {
  THREADS = 2048,
  WARPS_OF_BLOCKS = 32,
  REGISTERS = 65536,
  REGISTER_UNIT = 256, // registers are allocated to a warp in units of this size
  WARP_SCHEDULERS = 4,
  SHARED = 233472,
  SHARED_RESERVED = 1024,
  SHARED_UNIT = 128,
  LARGEST_BLOCK = 1024,
  LARGEST_CLUSTER = 16,
  PORTABLE_CLUSTER = 8,
};

static unsigned by_registers(unsigned registers, unsigned warps) {
  if (!registers) return WARPS_OF_BLOCKS;
  unsigned per_warp = (registers * 32 + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
  unsigned warps_per_scheduler = REGISTERS / WARP_SCHEDULERS / per_warp;
  return warps_per_scheduler * WARP_SCHEDULERS / warps;
}

unsigned client_blocks_per_multiprocessor(const struct protocol_function *function, unsigned threads,
                                          size_t dynamic_shared) {
  unsigned limit = function->max_threads_per_block ? function->max_threads_per_block : LARGEST_BLOCK;
  if (!threads || threads > limit || dynamic_shared > function->max_dynamic_shared_bytes) return 0;
  unsigned warps = (threads + 31) / 32;
  unsigned blocks = THREADS / 32 / warps;
  if (blocks > WARPS_OF_BLOCKS) blocks = WARPS_OF_BLOCKS;
  unsigned registers = by_registers(function->register_count, warps);
  if (registers < blocks) blocks = registers;
  size_t shared = function->static_shared_bytes + dynamic_shared + SHARED_RESERVED;
  shared = (shared + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
  return SHARED / shared < blocks ? (unsigned)(SHARED / shared) : blocks;
}

int client_available_shared(const struct protocol_function *function, unsigned blocks, unsigned threads,
                            size_t *bytes) {
  if (blocks > client_blocks_per_multiprocessor(function, threads, 0)) return ERROR_INVALID_VALUE;
  const size_t share = (size_t)SHARED / blocks / SHARED_UNIT * SHARED_UNIT,
               taken = function->static_shared_bytes;
  const size_t left = share > taken ? share - taken : 0, most = function->max_dynamic_shared_bytes;
  *bytes = left < most ? left : most; // an H100 doesn't take off the 1 KiB that each block needs besides
  return 0;
}

unsigned client_largest_cluster(const struct client_function *function) {
  return function->nonportable_cluster ? LARGEST_CLUSTER : PORTABLE_CLUSTER;
}

// All blocks of a cluster run in one GPC, and GPCs differ: some of their 18 processors are switched off. With
// these sizes 30 clusters of 4 fit, 15 of 8 and 7 of 16, as an H100 and an H200 say (docs/measurements.md).
static const unsigned char processors_of_gpc[] = {18, 18, 18, 18, 18, 16, 16, 10};

int client_active_clusters(const struct client_function *function, unsigned cluster, unsigned threads,
                           size_t dynamic_shared, int *clusters) {
  if (!cluster || cluster > client_largest_cluster(function)) return ERROR_INVALID_CLUSTER_SIZE;
  const unsigned blocks = client_blocks_per_multiprocessor(&function->info, threads, dynamic_shared);
  *clusters = 0;
  for (size_t i = 0; i < sizeof processors_of_gpc; i++)
    *clusters += (int)(processors_of_gpc[i] * blocks / cluster);
  return 0;
}
