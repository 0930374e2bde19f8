// A cluster of blocks with shared and global memory, and without a program, for tests of the rooms below the
// scheduler.
#ifndef TESTS_UNIT_FAKE_CLUSTER_H
#define TESTS_UNIT_FAKE_CLUSTER_H

#include "virtual-hopper/async/async.h"
#include "virtual-hopper/async/mbarrier.h"
#include "virtual-hopper/machine/op.h"
#include "virtual-hopper/memory/memory.h"

enum { FAKE_SHARED_BYTES = 32768, FAKE_THREADS = 64 };

struct fake_cluster {
  struct launch launch;
  struct function function;
  struct cluster cluster;
  struct block blocks[4];
  struct warp warps[4][2];
  struct op op; // the operation that every access seems to come from
};

struct fake_cluster *fake_cluster_make(uint32_t blocks, uint64_t seed);
void fake_cluster_free(struct fake_cluster *f);
// Returns how often a rule was reported since the last call of fake_faults_clear.
size_t fake_faults(struct fake_cluster *f, const char *rule);
size_t fake_faults_all(struct fake_cluster *f);
void fake_faults_clear(struct fake_cluster *f); // also lets the cluster continue

#endif
