// How each kernel of compute.cuh is launched.
#ifndef HELD_OUT_COMPUTE_LAUNCHES_CUH
#define HELD_OUT_COMPUTE_LAUNCHES_CUH

#include "compute.cuh"
#include "start.cuh"

static uint32_t word_blocks(const job &j, uint32_t threads) {
  return blocks_for(j, size_t{threads} * 4);
}

static void run_hash(const job &j) {
  start(hash, blocks_for(j, size_t{j.p[1]} * 16), j.p[1], j.p[2] ? shared_for(j.p[2], 0) : 0, j);
}
static void run_hash_one(const job &j) {
  start(hash_one, word_blocks(j, j.p[1]), j.p[1], j.p[2] ? shared_for(j.p[2], 0) : 0, j);
}
static void run_diverge(const job &j) {
  start(diverge, word_blocks(j, j.p[2]), j.p[2], 0, j);
}
static void run_digits(const job &j) {
  start(digits, word_blocks(j, j.p[0]), j.p[0], 0, j);
}
static void run_shuffles(const job &j) {
  start(shuffles, word_blocks(j, j.p[1]), j.p[1], 0, j);
}
static void run_match(const job &j) {
  start(match, word_blocks(j, 16 * j.p[1]), j.p[1], j.p[0] * 4, j);
}
static void run_packed(const job &j) {
  start(packed, word_blocks(j, j.p[0]), j.p[0], 128 + j.p[0] * 4, j);
}
static void run_sorted(const job &j) {
  start(sorted, word_blocks(j, 2 * j.p[0]), j.p[0], j.p[0] * 8, j);
}

#endif
