// Makes the fake cluster of fake-cluster.h. In: the number of blocks. Out: everything that a barrier or a
// copy reads, and no running program.
#include "fake-cluster.h"

#include <stdlib.h>
#include <string.h>

#include "virtual-hopper/order/order.h"

struct fake_cluster *fake_cluster_make(uint32_t blocks, uint64_t seed) {
  struct fake_cluster *f = calloc(1, sizeof *f);
  if (!f) die("out of memory");
  f->function.name = "fake";
  f->launch = (struct launch){.function = &f->function,
                              .report = fault_report_create(),
                              .memory = memory_create(64 << 20, NULL),
                              .grid = {blocks, 1, 1},
                              .block = {FAKE_THREADS, 1, 1},
                              .cluster = {blocks, 1, 1},
                              .threads_per_block = FAKE_THREADS,
                              .warps_per_block = 2,
                              .blocks_per_cluster = blocks,
                              .cluster_count = 1,
                              .shared_bytes = FAKE_SHARED_BYTES};
  f->cluster = (struct cluster){
      .launch = &f->launch, .block_count = blocks, .random = seed, .alone = true, .turn = true};
  for (uint32_t rank = 0; rank < blocks; rank++) {
    struct block *b = &f->blocks[rank];
    *b = (struct block){.cluster = &f->cluster,
                        .launch = &f->launch,
                        .rank = rank,
                        .linear_index = rank,
                        .index = {rank, 0, 0},
                        .live_threads = FAKE_THREADS,
                        .warp_count = 2,
                        .warps = f->warps[rank]};
    b->shared = aligned_alloc(1024, FAKE_SHARED_BYTES);
    if (!b->shared) die("out of memory");
    memset(b->shared, 0xa5, FAKE_SHARED_BYTES);
    f->cluster.blocks[rank] = b;
    for (uint32_t i = 0; i < 2; i++)
      f->warps[rank][i] = (struct warp){
          .block = b, .launch = &f->launch, .index = i, .lanes = UINT32_MAX, .alive = UINT32_MAX};
  }
  return f;
}

void fake_cluster_free(struct fake_cluster *f) {
  for (uint32_t rank = 0; rank < f->cluster.block_count; rank++)
    async_block_exit(&f->blocks[rank]);
  async_cluster_destroy(&f->cluster);
  async_queue_destroy(&f->cluster);
  for (uint32_t rank = 0; rank < f->cluster.block_count; rank++) {
    mbarrier_table_destroy(&f->blocks[rank]);
    free(f->blocks[rank].shared);
  }
  memory_destroy(f->launch.memory);
  fault_report_destroy(f->launch.report);
  free(f);
}

// Conflicts are recorded when an epoch of the grid ends.
static void end_stage(struct fake_cluster *f) {
  if (f->launch.order) order_stage_end(&f->launch);
}

size_t fake_faults(struct fake_cluster *f, const char *rule) {
  size_t found = 0;
  end_stage(f);
  for (size_t i = 0; i < fault_count(f->launch.report); i++)
    found += fault_at(f->launch.report, i)->rule == rule_find(rule);
  return found;
}

size_t fake_faults_all(struct fake_cluster *f) {
  end_stage(f);
  return fault_count(f->launch.report);
}

void fake_faults_clear(struct fake_cluster *f) {
  end_stage(f);
  fault_report_clear(f->launch.report);
  f->cluster.device_error = 0;
}
