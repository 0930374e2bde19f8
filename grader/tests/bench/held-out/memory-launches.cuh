// How each kernel of memory.cuh is launched.
#ifndef HELD_OUT_MEMORY_LAUNCHES_CUH
#define HELD_OUT_MEMORY_LAUNCHES_CUH

#include "memory.cuh"
#include "start.cuh"

template <bool OUT> static void run_gather_of(const job &j) {
  const uint32_t rows = blocks_for(j, j.p[0]), twos = rows & (~rows + 1);
  const uint32_t blocks = blocks_for(j, size_t{j.p[1]} * j.p[2] * 16);
  if (j.p[1] == 1) return start(gather<OUT, 1>, blocks, j.p[2], 0, j, twos);
  start(gather<OUT, 4>, blocks, j.p[2], 0, j, twos);
}
static void run_gather(const job &j) {
  run_gather_of<false>(j);
}
static void run_scatter(const job &j) {
  run_gather_of<true>(j);
}
static void run_own_sums(const job &j) {
  start(own_sums, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[1], shared_for(j.p[2], 0), j);
}
static void run_own_fill(const job &j) {
  start(own_fill, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[1], shared_for(j.p[2], 0), j);
}
static void run_own_few(const job &j) {
  start(own_few, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[1], shared_for(j.p[2], 0), j);
}
static void run_askew(const job &j) {
  if (j.p[1] == 4) return start(askew<int>, blocks_for(j, size_t{j.p[2]} * 4), j.p[2], 0, j);
  start(askew<int4>, blocks_for(j, size_t{j.p[2]} * 16), j.p[2], 0, j);
}
static void run_sparse(const job &j) {
  start(sparse, blocks_for(j, size_t{j.p[2]} * 16 * j.p[1] / j.p[0]), j.p[2], 0, j);
}
static void run_patches(const job &j) {
  start(patches, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[2], 0, j);
}
static void run_parts(const job &j) {
  start(parts, processors() * j.p[2], j.p[1], shared_for(j.p[2], 0), j);
}
static void run_leaning(const job &j) {
  const dim3 grid(j.width / j.p[0], j.height / j.p[1]);
  if (j.p[0] == 64 && j.p[1] == 16) return start(leaning<64, 16>, grid, j.p[2], 0, j);
  if (j.p[0] == 16 && j.p[1] == 64) return start(leaning<16, 64>, grid, j.p[2], 0, j);
  if (j.p[0] == 32 && j.p[1] == 64) return start(leaning<32, 64>, grid, j.p[2], 0, j);
  start(leaning<128, 32>, grid, j.p[2], 0, j);
}
static void run_triples(const job &j) {
  start(triples, blocks_for(j, size_t{j.p[0]} * 12) + 1, j.p[0], 0, j);
}
static void run_spots(const job &j) {
  const CUtensorMap from = map_of(j.in, j, j.p, false, false);
  const uint32_t bytes = j.p[0] * j.p[1] * 4;
  start(spots, blocks_for(j, bytes), j.p[2], shared_for(j.p[3], bytes), from, from, j);
}
static void run_glance(const job &j) {
  const CUtensorMap from = map_of(j.in, j, j.p, false, false);
  start(glance, dim3(j.width / j.p[0], j.height / j.p[1]), j.p[2], shared_for(j.p[3], j.p[0] * j.p[1] * 4),
        from, from, j);
}

#endif
