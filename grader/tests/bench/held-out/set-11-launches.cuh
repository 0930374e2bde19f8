// How the kernels of set-11-plain.cuh and set-11-rings.cuh are launched, from the numbers in their names.
#ifndef HELD_OUT_SET_11_LAUNCHES_CUH
#define HELD_OUT_SET_11_LAUNCHES_CUH

#include "set-11-plain.cuh"
#include "set-11-rings.cuh"
#include "start.cuh"

typedef void (*of_job)(job);

// Blocks that stay, or as many as there are parts of so many bytes.
static void start_staying(of_job kernel, const job &j, uint32_t threads, uint32_t blocks, size_t bytes) {
  if (blocks) return start(kernel, processors() * blocks, threads, shared_for(blocks, 0), j);
  start(kernel, blocks_for(j, bytes), threads, 0, j);
}
// A block for each part.
static void start_each(of_job kernel, const job &j, uint32_t threads, size_t bytes) {
  start(kernel, blocks_for(j, bytes), threads, 0, j);
}
static void start_flat(of_job kernel, const job &j, dim3 grid, dim3 threads, uint32_t shared = 0) {
  kernel<<<grid, threads, shared>>>(j);
}

static void run_axpby(const job &j) {
  const of_job kernel = j.p[0] == 1 ? axpby<1> : j.p[0] == 2 ? axpby<2> : axpby<4>;
  start_staying(kernel, j, j.p[1], j.p[2], size_t{32} * j.p[0] * j.p[1]);
}
static void run_soft_rows(const job &j) {
  start_each(soft_rows, j, j.p[1], size_t{4} * j.p[0] * (j.p[1] / 32));
}
static void run_layer_norm(const job &j) {
  const of_job kernel = j.p[0] == 1 ? layer_norm<1> : j.p[0] == 2 ? layer_norm<2> : layer_norm<4>;
  start_each(kernel, j, j.p[1], size_t{16} * j.p[0] * j.p[1]);
}
static void run_octets(const job &j) {
  start(octets, processors() * j.p[1], j.p[0], shared_for(j.p[1], j.p[0] * 32), j);
}
static void run_scan_part(const job &j) {
  start_each(scan_part, j, j.p[0], size_t{16} * j.p[0]);
}
static void run_embed(const job &j) {
  start_each(embed, j, j.p[2], size_t{j.p[0]} * (j.p[2] / 32));
}
static void run_turn_wide(const job &j) {
  start_flat(turn_wide, j, dim3(j.width / 64, j.height / 32), dim3(32, j.p[0]));
}
static void run_turn_half(const job &j) {
  start_flat(turn_half, j, dim3(j.width / 32, j.height / 64), dim3(32, j.p[0]));
}
static void run_slots(const job &j) {
  const of_job kernel = j.p[0] == 2 ? slots<2> : j.p[0] == 4 ? slots<4> : slots<8>;
  start(kernel, processors() * j.p[2], j.p[1], shared_for(j.p[2], j.p[0] * j.p[1] * 16), j);
}
static void run_half_eight(const job &j) {
  start_each(half_eight, j, j.p[0], size_t{32} * j.p[0]);
}
static void run_to_eight_bits(const job &j) {
  start_staying(to_eight_bits, j, j.p[0], j.p[1], size_t{16} * j.p[0]);
}
static void run_matrices(const job &j) {
  start_each(matrices, j, j.p[0], size_t{64} * j.p[0]);
}
static void run_products(const job &j) {
  start_each(products, j, 256, size_t{2048} * j.p[0]);
}
static void run_wave(const job &j) {
  start_flat(wave, j, dim3(j.width / j.p[0], j.height / j.p[1]), dim3(j.p[0], j.p[1]));
}
static void run_halo(const job &j) {
  start_flat(halo, j, dim3(j.width / 32, j.height / j.p[0]), dim3(32, j.p[0]), (j.p[0] + 2) * 34 * 4);
}
static void run_compact(const job &j) {
  start_each(compact, j, j.p[1], size_t{4} * j.p[1]);
}
static void run_ahead(const job &j) {
  start(ahead, processors() * j.p[1], j.p[0], shared_for(j.p[1], 32 * j.p[0]), j);
}
static void run_fill_streaming(const job &j) {
  start_each(j.p[0] == 1 ? fill_streaming<1> : fill_streaming<4>, j, j.p[1], size_t{16} * j.p[0] * j.p[1]);
}
static void run_peak(const job &j) {
  const of_job kernel = j.p[0] == 1 ? peak<1> : j.p[0] == 4 ? peak<4> : peak<8>;
  start_each(kernel, j, j.p[1], size_t{16} * j.p[0] * j.p[1]);
}
static void run_thin(const job &j) {
  start_staying(j.p[0] == 8 ? thin<8> : thin<16>, j, j.p[1], j.p[2], 0);
}
static void run_times_vector(const job &j) {
  start_each(times_vector, j, j.p[0], size_t{4} * j.width * (j.p[0] / 32));
}
static void run_vector_times(const job &j) {
  start_flat(vector_times, j, dim3(j.width / j.p[0], j.height / j.p[1]), j.p[0]);
}
static void run_gray(const job &j) {
  start_each(gray, j, j.p[0], size_t{3} * j.p[0]);
}
static void run_bias(const job &j) {
  start_staying(bias, j, j.p[0], j.p[1], size_t{16} * j.p[0]);
}
static void run_rotary(const job &j) {
  start_each(rotary, j, j.p[0], size_t{16} * j.p[0]);
}
static void run_odd_bits(const job &j) {
  start_each(odd_bits, j, j.p[0], size_t{4} * j.p[0]);
}
static void run_ends_of_lines(const job &j) {
  start_staying(ends_of_lines, j, j.p[0], j.p[1], 0);
}
static void run_row_best(const job &j) {
  start_each(row_best, j, j.p[1], size_t{4} * j.p[0] * (j.p[1] / 32));
}
static void run_butterfly(const job &j) {
  start_each(butterfly, j, j.p[0], size_t{32} * j.p[0]);
}
static void run_few_of_row(const job &j) {
  start_each(few_of_row, j, j.p[1], size_t{64} * j.p[1]);
}
static void run_narrow_copy(const job &j) {
  start_each(j.p[0] == 1 ? narrow_copy<uint8_t> : narrow_copy<uint16_t>, j, j.p[1], size_t{j.p[0]} * j.p[1]);
}

// ---- with the copy engine ---------------------------------------------------------------------------------

static void run_once(const job &j) {
  start(once, blocks_for(j, j.p[0]), j.p[1], shared_for(j.p[2], j.p[0] * (j.p[3] == 1 ? 2 : 1)), j);
}
static void run_keep(const job &j) {
  start(keep, processors() * j.p[3], j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_queue(const job &j) {
  const CUtensorMap from = flat_map(j.in, j, false, j.p[0], j.p[1], j.p[2]);
  const CUtensorMap to = flat_map(j.out, j, false, j.p[0], j.p[1], j.p[2]);
  const uint32_t shared = shared_for(j.p[5], j.p[0] * j.p[1] * 4 * j.p[3]);
  start(queue, processors() * j.p[5], j.p[4], shared, from, to, j);
}
static void run_nine(const job &j) {
  const CUtensorMap from = flat_map(j.in, j, false, j.p[0] + 8, j.p[1] + 2, 0);
  const uint32_t bytes = ((j.p[0] + 8) * (j.p[1] + 2) + 31) / 32 * 128;
  start(nine, processors() * j.p[4], j.p[3], shared_for(j.p[4], bytes * j.p[2]), from, from, j);
}
static void run_tile_turn(const job &j) {
  const uint32_t swizzle = j.p[0] ? 3 : 0;
  const CUtensorMap from = flat_map(j.in, j, false, 32, 32, swizzle);
  const CUtensorMap to = flat_map(j.out, j, true, 32, 32, swizzle);
  start(tile_turn, processors() * j.p[3], j.p[2], shared_for(j.p[3], 4096 * (j.p[1] + 1)), from, to, j);
}
static void run_solo(const job &j) {
  start(solo, processors() * j.p[3], j.p[2] * 32, shared_for(j.p[3], j.p[0] * j.p[1] * j.p[2]), j);
}
static void run_rms(const job &j) {
  start(rms, processors() * j.p[3], j.p[2], shared_for(j.p[3], j.p[0] * (j.p[1] + 1)), j);
}
static void run_weights(const job &j) {
  start_clusters(weights, blocks_for(j, j.p[0]), j.p[2], shared_for(j.p[3], 2 * j.p[0]), j.p[1], j);
}
static void run_roles(const job &j) {
  const of_job kernel = j.p[1] == 2 ? roles<2> : j.p[1] == 3 ? roles<3> : roles<5>;
  start(kernel, processors() * j.p[3], j.p[2] + 32, shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_around(const job &j) {
  const uint32_t planes = blocks_for(j, size_t{CUBE_WIDTH} * CUBE_HEIGHT * 4);
  const uint32_t box[] = {j.p[0] + 8, j.p[1] + 2, j.p[2] + 2};
  const CUtensorMap from = map_of_cube(j.in, CUBE_HEIGHT, planes, box);
  start(around, dim3(CUBE_WIDTH / j.p[0], CUBE_HEIGHT / j.p[1], planes / j.p[2]), j.p[3],
        shared_for(j.p[4], box[0] * box[1] * box[2] * 4), from, from, j);
}
static void run_beforehand(const job &j) {
  start(beforehand, processors() * j.p[2], j.p[1], shared_for(j.p[2], 0), j);
}

#endif
