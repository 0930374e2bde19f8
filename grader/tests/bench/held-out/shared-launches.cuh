// How each kernel of shared.cuh is launched.
#ifndef HELD_OUT_SHARED_LAUNCHES_CUH
#define HELD_OUT_SHARED_LAUNCHES_CUH

#include "shared.cuh"
#include "start.cuh"

static uint32_t blocks_of(const job &j, uint32_t quads, uint32_t threads) {
  return blocks_for(j, size_t{quads} * threads * 16);
}

static void run_stride(const job &j) {
  start(stride, blocks_for(j, size_t{j.p[1]} * 4), j.p[1], j.p[1] * 4, j);
}
static void run_prefixes(const job &j) {
  start(prefixes, blocks_for(j, size_t{j.p[0]} * 4), j.p[0], j.p[0] * 4, j);
}
static void run_tree(const job &j) {
  const uint32_t blocks = blocks_of(j, j.p[0], j.p[1]);
  if (j.p[0] == 1) return start(tree<1>, blocks, j.p[1], j.p[1] * 4, j);
  start(tree<4>, blocks, j.p[1], j.p[1] * 4, j);
}
static void run_counts(const job &j) {
  start(counts, blocks_of(j, j.p[1], j.p[2]), j.p[2], j.p[0] * 4, j);
}
static void run_follow(const job &j) {
  start(follow, blocks_of(j, 1, j.p[1]), j.p[1], j.p[1] * 4, j);
}
static void run_polynomial(const job &j) {
  start(polynomial, blocks_of(j, 1, j.p[1]), j.p[1], 0, j);
}
static void run_roots(const job &j) {
  start(roots, blocks_of(j, 1, j.p[0]), j.p[0], 0, j);
}
static void run_rounds(const job &j) {
  const uint32_t blocks = blocks_of(j, j.p[1], j.p[2]);
  if (j.p[1] == 1) return start(rounds<1>, blocks, j.p[2], 0, j);
  start(rounds<4>, blocks, j.p[2], 0, j);
}
static void run_few(const job &j) {
  if (j.p[2] == 1) return start(few<1>, j.p[0], j.p[1], 0, j);
  start(few<8>, j.p[0], j.p[1], 0, j);
}
static void run_ticket(const job &j) {
  const uint32_t blocks = blocks_of(j, j.p[0], j.p[1]);
  if (j.p[0] == 1) return start(ticket<1>, blocks, j.p[1], 0, j);
  start(ticket<4>, blocks, j.p[1], 0, j);
}
static void run_tally(const job &j) {
  start(tally, blocks_of(j, 1, j.p[1]), j.p[1], 0, j);
}
static void run_lend(const job &j) {
  start_clusters(lend, blocks_for(j, j.p[0]), j.p[2], shared_for(j.p[3], j.p[0]), j.p[1], j);
}
static void run_meet(const job &j) {
  const uint32_t blocks = blocks_of(j, j.p[0], j.p[2]);
  if (j.p[0] == 1) return start_clusters(meet<1>, blocks, j.p[2], 0, j.p[1], j);
  start_clusters(meet<4>, blocks, j.p[2], 0, j.p[1], j);
}

#endif
