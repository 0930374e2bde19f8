// How the kernels of outsider-plain.cuh and outsider-rings.cuh are launched, from the numbers in their names.
#ifndef HELD_OUT_OUTSIDER_LAUNCHES_CUH
#define HELD_OUT_OUTSIDER_LAUNCHES_CUH

#include "outsider-plain.cuh"
#include "outsider-rings.cuh"
#include "start.cuh"

static void run_saxpy(const job &j) {
  const uint32_t blocks = j.p[2] ? processors() * j.p[2] : blocks_for(j, size_t{j.p[0]} * j.p[1]);
  const uint32_t shared = j.p[2] ? shared_for(j.p[2], 0) : 0;
  if (j.p[0] == 4) return start(saxpy_words, blocks, j.p[1], shared, j);
  start(saxpy_quads, blocks, j.p[1], shared, j);
}
static void run_ldg(const job &j) {
  const uint32_t blocks = blocks_for(j, size_t{16} * j.p[0] * j.p[1]);
  if (j.p[0] == 2) return start(ldg<2>, blocks, j.p[1], 0, j);
  if (j.p[0] == 4) return start(ldg<4>, blocks, j.p[1], 0, j);
  start(ldg<8>, blocks, j.p[1], 0, j);
}
static void run_dotted(const job &j) {
  start(dotted, processors() * j.p[1], j.p[0], shared_for(j.p[1], 0), j);
}
static void run_softmax(const job &j) {
  start(softmax, blocks_for(j, size_t{4} * j.p[0]), j.p[1], j.p[0] * 4, j);
}
static void run_norm(const job &j) {
  start(norm_rows, blocks_for(j, size_t{128} * j.p[0]), j.p[0], 0, j);
}
static void start_wide(void (*kernel)(job), dim3 grid, dim3 threads, const job &j) {
  kernel<<<grid, threads>>>(j);
}
static void run_jacobi(const job &j) {
  start_wide(jacobi, dim3(j.width / j.p[0], j.height / j.p[1]), dim3(j.p[0], j.p[1]), j);
}
static void run_volume(const job &j) {
  const uint32_t planes = blocks_for(j, size_t{512} * 256 * 4);
  start_wide(volume, dim3(512 / j.p[0], 256 / j.p[1], (planes + j.p[2] - 1) / j.p[2]), dim3(j.p[0], j.p[1]),
             j);
}
static void run_blur(const job &j) {
  const dim3 grid(j.width / 32, j.height / j.p[0]);
  if (j.p[0] == 8) return start(blur<8>, grid, 256, 0, j);
  if (j.p[0] == 16) return start(blur<16>, grid, 512, 0, j);
  start(blur<4>, grid, 128, 0, j);
}
static void run_quads(const job &j) {
  start(quads, dim3(j.width / 64, j.height / 64), j.p[0], 0, j);
}
static void run_zip(const job &j) {
  start(zip, blocks_for(j, size_t{8} * j.p[0]), j.p[0], 0, j);
}
static void run_narrow(const job &j) {
  start(narrow, blocks_for(j, size_t{16} * j.p[0]), j.p[0], 0, j);
}
static void run_lookup(const job &j) {
  start(lookup, blocks_for(j, size_t{4} * j.p[1]), j.p[1], 0, j);
}
static void run_trickle(const job &j) {
  const uint32_t bytes = j.p[0] * j.p[1] * j.p[2], blocks = blocks_for(j, bytes);
  if (j.p[0] == 4) return start(trickle<4, 4>, blocks, j.p[2], bytes, j);
  if (j.p[0] == 8) return start(trickle<8, 4>, blocks, j.p[2], bytes, j);
  start(trickle<16, 2>, blocks, j.p[2], bytes, j);
}

static void run_pipe(const job &j) {
  start(pipe_of_warps, processors() * j.p[3], 32 + 32 * j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_boxed(const job &j) {
  const CUtensorMap from = map_of(j.in, j, j.p, false, false), to = map_of(j.out, j, j.p, false, false);
  const uint32_t shared = shared_for(j.p[4], j.p[0] * j.p[1] * 4 * (j.p[2] + 1));
  start(boxed, processors() * j.p[4], j.p[3], shared, from, to, j);
}
static void run_standard(const job &j) {
  const uint32_t shared = shared_for(j.p[3], j.p[0] * j.p[1]), blocks = processors() * j.p[3];
  if (j.p[1] == 2) return start(standard<2>, blocks, j.p[2], shared, j);
  start(standard<3>, blocks, j.p[2], shared, j);
}
static void run_accrue(const job &j) {
  start(accrue, processors() * j.p[2], j.p[1], shared_for(j.p[2], j.p[0] * 2), j);
}

#endif
