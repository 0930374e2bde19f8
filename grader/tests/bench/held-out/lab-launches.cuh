// How the kernels of lab-rings.cuh and lab-tiles.cuh are launched, from the numbers in their names.
#ifndef HELD_OUT_LAB_LAUNCHES_CUH
#define HELD_OUT_LAB_LAUNCHES_CUH

#include "lab-rings.cuh"
#include "lab-tiles.cuh"
#include "library.h"
#include "start.cuh"

static uint32_t grid_of(uint32_t blocks, bool staying, uint32_t tiles) {
  return staying ? std::min(tiles, processors() * blocks) : tiles;
}

static void run_move(const job &j) {
  start(move, grid_of(j.p[2], j.p[3], blocks_for(j, j.p[0])), j.p[1], shared_for(j.p[2], j.p[0]), j);
}
static void run_groups(const job &j) {
  const uint32_t shared = shared_for(j.p[4], j.p[0] * (j.p[1] + j.p[2] + 1));
  start(groups, processors() * j.p[4], j.p[3], shared, j);
}
static void run_panels(const job &j) {
  const uint32_t across = j.width / j.p[4], blocks = processors() * j.p[3] / across * across;
  start(panels, blocks, (j.p[2] + 1) * 32, shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_lines(const job &j) {
  start(lines, processors() * j.p[3], j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_shares(const job &j) {
  start(shares, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[2], shared_for(j.p[3], j.p[0] + j.p[4] * 4), j);
}
static void run_cast(const job &j) {
  const uint32_t clusters = j.p[2] == 2 ? processors() / 2 : 30;
  start_clusters(cast, clusters * j.p[2], (j.p[3] + 1) * 32, shared_for(1, j.p[0] * j.p[1]), j.p[2], j);
}

static void run_scale(const job &j) {
  const CUtensorMap from = flat_map(j.in, j, false, j.p[0], j.p[1], j.p[2]);
  const CUtensorMap to = flat_map(j.out, j, false, j.p[0], j.p[1], j.p[2]);
  const uint32_t bytes = j.p[0] * j.p[1] * 4;
  start(scale, grid_of(j.p[4], j.p[5], blocks_for(j, bytes)), j.p[3], shared_for(j.p[4], bytes), from, to, j);
}
static void run_five(const job &j) {
  const uint32_t box[] = {j.p[0] + 2 * j.p[2], j.p[1] + 2};
  const CUtensorMap from = map_of(j.in, j, box, false, false), to = map_of(j.out, j, j.p, false, false);
  const uint32_t words = (box[0] * box[1] + 31) / 32 * 32 + (j.p[5] ? 0 : j.p[0] * j.p[1]);
  start(five, dim3(j.width / j.p[0], j.height / j.p[1]), j.p[3], shared_for(j.p[4], words * 4), from, to, j);
}
static void run_halves(const job &j) {
  const uint32_t half[] = {32, 64}, whole[] = {64, 64};
  const CUtensorMap from = map_of(j.in, j, half, j.p[0], false), to = map_of(j.out, j, whole, false, true);
  start(halves, j.width / 64 * (j.height / 64), j.p[1], shared_for(j.p[2], 32768), from, to, j);
}
static void run_seven(const job &j) {
  const uint32_t planes = blocks_for(j, size_t{CUBE_WIDTH} * CUBE_HEIGHT * 4);
  const uint32_t box[] = {j.p[0] + 8, j.p[1] + 2, 1};
  const CUtensorMap from = map_of_cube(j.in, CUBE_HEIGHT, planes, box);
  const uint32_t bytes = (box[0] * box[1] + 31) / 32 * 128 * j.p[2];
  start(seven, dim3(CUBE_WIDTH / j.p[0], CUBE_HEIGHT / j.p[1], planes / j.p[5]), j.p[3],
        shared_for(j.p[4], bytes), from, from, j);
}

static void run_loop(const job &j) {
  const uint32_t blocks = processors() * j.p[3], threads = j.p[2], shared = shared_for(j.p[3], 0);
  const bool one = j.p[1] == 1;
  if (j.p[0] == 4) return start(one ? loop<int, 1> : loop<int, 4>, blocks, threads, shared, j);
  if (j.p[0] == 8) return start(one ? loop<int2, 1> : loop<int2, 4>, blocks, threads, shared, j);
  start(one ? loop<int4, 1> : loop<int4, 4>, blocks, threads, shared, j);
}
static void run_total(const job &j) {
  const uint32_t blocks = processors() * j.p[3], threads = j.p[2], shared = shared_for(j.p[3], 0);
  const bool one = j.p[1] == 1;
  if (j.p[0] == 4) return start(one ? total_of<int, 1> : total_of<int, 4>, blocks, threads, shared, j);
  if (j.p[0] == 8) return start(one ? total_of<int2, 1> : total_of<int2, 4>, blocks, threads, shared, j);
  start(one ? total_of<int4, 1> : total_of<int4, 4>, blocks, threads, shared, j);
}
static void run_fill(const job &j) {
  const uint32_t blocks = processors() * j.p[3], threads = j.p[2], shared = shared_for(j.p[3], 0);
  const bool one = j.p[1] == 1;
  if (j.p[0] == 4) return start(one ? fill<int, 1> : fill<int, 4>, blocks, threads, shared, j);
  if (j.p[0] == 8) return start(one ? fill<int2, 1> : fill<int2, 4>, blocks, threads, shared, j);
  start(one ? fill<int4, 1> : fill<int4, 4>, blocks, threads, shared, j);
}
static void run_naive(const job &j) {
  const dim3 threads(j.p[0], j.p[1]);
  const dim3 grid((j.p[2] ? j.height : j.width) / j.p[0], (j.p[2] ? j.width : j.height) / j.p[1]);
  naive<<<grid, threads>>>(j);
}
static void run_crossed(const job &j) {
  crossed<<<dim3(j.width / 32, j.height / 32), dim3(32, j.p[0])>>>(j);
}

#endif
