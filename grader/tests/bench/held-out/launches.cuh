// How each kernel of the held-out suite is launched, from the numbers in its name.
#ifndef HELD_OUT_LAUNCHES_CUH
#define HELD_OUT_LAUNCHES_CUH

#include "boxes.cuh"
#include "bulk.cuh"
#include "compute-launches.cuh"
#include "lab-launches.cuh"
#include "memory-launches.cuh"
#include "more-bulk.cuh"
#include "more-plain.cuh"
#include "outsider-launches.cuh"
#include "plain.cuh"
#include "set-11-launches.cuh"
#include "shared-launches.cuh"
#include "start.cuh"

static void run_pieces(const job &j) {
  start(pieces, blocks_for(j, j.p[1]), j.p[3], shared_for(j.p[4], j.p[1]), j);
}
static void run_crew(const job &j) {
  start(crew, processors() * j.p[3], (j.p[2] + 1) * 32, shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_batch(const job &j) {
  start(batch, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_spill(const job &j) {
  start(spill, processors() * j.p[3], j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_pour(const job &j) {
  start(pour, processors() * j.p[2], 128, shared_for(j.p[2], j.p[0]), j);
}
static void run_adds(const job &j) {
  start(adds, blocks_for(j, j.p[0]), j.p[1], shared_for(j.p[2], j.p[0]), j);
}
static void run_rows_in(const job &j) {
  start(rows<false>, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_rows_out(const job &j) {
  start(rows<true>, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_level(const job &j) {
  start(level, blocks_for(j, j.p[0]), j.p[1], shared_for(j.p[2], j.p[0]), j);
}
static void run_twins(const job &j) {
  start(twins, processors() * j.p[3], j.p[2], shared_for(j.p[3], 2 * j.p[0] * j.p[1]), j);
}

template <typename T> static void run_each_of(const job &j) {
  const uint32_t blocks = blocks_for(j, size_t{j.p[0]} * j.p[1] * j.p[2]);
  if (j.p[1] == 1)
    start(each<T, 1>, blocks, j.p[2], 0, j);
  else if (j.p[1] == 2)
    start(each<T, 2>, blocks, j.p[2], 0, j);
  else if (j.p[1] == 4)
    start(each<T, 4>, blocks, j.p[2], 0, j);
  else
    start(each<T, 8>, blocks, j.p[2], 0, j);
}
static void run_each(const job &j) {
  switch (j.p[0]) {
  case 1: return run_each_of<unsigned char>(j);
  case 2: return run_each_of<unsigned short>(j);
  case 4: return run_each_of<int>(j);
  case 8: return run_each_of<int2>(j);
  default: return run_each_of<int4>(j);
  }
}
static void run_own(const job &j) {
  start(own, blocks_for(j, size_t{j.p[0]} * j.p[1]), j.p[1], 0, j);
}
static void run_async(const job &j) {
  const uint32_t shared = shared_for(j.p[3], j.p[0] * j.p[1]), blocks = processors() * j.p[3];
  if (j.p[1] == 2) start(async_ring<2>, blocks, j.p[2], shared, j);
  if (j.p[1] == 3) start(async_ring<3>, blocks, j.p[2], shared, j);
  if (j.p[1] == 4) start(async_ring<4>, blocks, j.p[2], shared, j);
}
static void run_turn(const job &j) {
  const dim3 grid(j.width / j.p[0], j.height / j.p[0]);
  if (j.p[0] == 32 && j.p[1]) return start(turn<32, 1>, grid, j.p[2], 0, j);
  if (j.p[0] == 32) return start(turn<32, 0>, grid, j.p[2], 0, j);
  if (j.p[0] == 16) return start(turn<16, 1>, grid, j.p[2], 0, j);
  start(turn<64, 1>, grid, j.p[2], 0, j);
}
static void run_row_sums(const job &j) {
  start(row_sums, blocks_for(j, size_t{j.p[0]} * (j.p[1] / 32)), j.p[1], 0, j);
}
static void run_column_sums(const job &j) {
  start(column_sums, dim3(2048 / j.p[1], blocks_for(j, size_t{j.p[0]} * 32768)), j.p[1], 0, j);
}
static void run_four(const job &j) {
  start(four, blocks_for(j, size_t{j.p[0]} * 64), j.p[0], 0, j);
}
static void run_widen(const job &j) {
  start(widen, blocks_for(j, size_t{j.p[0]} * 16), j.p[0], 0, j);
}
static void run_pick(const job &j) {
  start(pick, blocks_for(j, size_t{j.p[1]} * 16), j.p[1], 0, j);
}
static void run_every(const job &j) {
  start(every, blocks_for(j, size_t{j.p[1]} * 16 * j.p[0]), j.p[1], 0, j);
}
static void run_two_reads(const job &j) {
  const uint32_t blocks = processors() * j.p[2], shared = shared_for(j.p[2], 0);
  if (j.p[0] == 1) return start(two_reads<1>, blocks, j.p[1], shared, j);
  start(two_reads<4>, blocks, j.p[1], shared, j);
}
static void run_three(const job &j) {
  start(three, blocks_for(j, size_t{j.p[0]} * 4), j.p[0], 0, j);
}
static void run_chain(const job &j) {
  const uint32_t blocks = blocks_for(j, size_t{j.p[0]} * j.p[1] * 4);
  if (j.p[0] == 4) return start(chain<4>, blocks, j.p[1], 0, j);
  start(chain<16>, blocks, j.p[1], 0, j);
}
static void run_put(const job &j) {
  const uint32_t blocks = blocks_for(j, size_t{j.p[0]} * j.p[1]);
  if (j.p[0] == 1) return start(put<unsigned char>, blocks, j.p[1], 0, j);
  if (j.p[0] == 4) return start(put<int>, blocks, j.p[1], 0, j);
  start(put<int4>, blocks, j.p[1], 0, j);
}

static void run_cubes(const job &j) {
  const uint32_t planes = blocks_for(j, size_t{CUBE_WIDTH} * CUBE_HEIGHT * 4);
  const CUtensorMap from = map_of_cube(j.in, CUBE_HEIGHT, planes, j.p);
  const CUtensorMap to = map_of_cube(j.out, CUBE_HEIGHT, planes, j.p);
  const dim3 grid(CUBE_WIDTH / j.p[0], CUBE_HEIGHT / j.p[1], planes / j.p[2]);
  start(cubes, grid, j.p[3], shared_for(j.p[4], j.p[0] * j.p[1] * j.p[2] * 4), from, to, j);
}
static void run_sheets(const job &j) {
  const CUtensorMap from = map_of(j.in, j, j.p, false, false), to = map_of(j.out, j, j.p, false, false);
  start(sheets, processors() * j.p[4], j.p[3], shared_for(j.p[4], j.p[0] * j.p[1] * 4 * j.p[2]), from, to, j);
}
static void run_cross(const job &j) {
  const uint32_t box[] = {j.p[0] + 8, j.p[1] + 2};
  const CUtensorMap from = map_of(j.in, j, box, false, false);
  start(cross, dim3(j.width / j.p[0], j.height / j.p[1]), j.p[2], shared_for(j.p[3], box[0] * box[1] * 4),
        from, from, j);
}
static void run_flip(const job &j) {
  const uint32_t box[] = {32, 32};
  const CUtensorMap from = map_of(j.in, j, box, j.p[0], false), to = map_of(j.out, j, box, j.p[0], true);
  start(flip, dim3(j.width / 32, j.height / 32), j.p[1], shared_for(j.p[2], 8192), from, to, j);
}
static void run_deal(const job &j) {
  const uint32_t size = j.p[2], clusters = size <= 2 ? processors() / size : size == 4 ? 30 : 15;
  start_clusters(deal, clusters * size, j.p[3], shared_for(1, j.p[0] * j.p[1]), size, j);
}
static void run_peers(const job &j) {
  start_clusters(peers, blocks_for(j, j.p[0]), j.p[2], shared_for(j.p[3], j.p[0]), j.p[1], j);
}

static void run_backward(const job &j) {
  start(backward, blocks_for(j, size_t{j.p[0]} * 16), j.p[0], 0, j);
}
static void run_shifted(const job &j) {
  if (j.p[1] == 4) return start(shifted<int>, blocks_for(j, size_t{j.p[2]} * 4), j.p[2], 0, j);
  start(shifted<int4>, blocks_for(j, size_t{j.p[2]} * 16), j.p[2], 0, j);
}
static void run_split(const job &j) {
  start(split, blocks_for(j, size_t{j.p[0]} * 16), j.p[0], 0, j);
}
static void run_joined(const job &j) {
  start(joined, blocks_for(j, size_t{j.p[0]} * 16), j.p[0], 0, j);
}
static void run_warp_rows(const job &j) {
  const uint32_t blocks = blocks_for(j, size_t{j.p[0]} * (j.p[1] / 32));
  if (j.p[0] == 512) return start(warp_rows<1>, blocks, j.p[1], 0, j);
  if (j.p[0] == 1024) return start(warp_rows<2>, blocks, j.p[1], 0, j);
  start(warp_rows<8>, blocks, j.p[1], 0, j);
}
static void run_taps(const job &j) {
  start(taps, blocks_for(j, size_t{j.p[1]} * 4), j.p[1], (j.p[0] + j.p[1]) * 4, j);
}
static void run_some(const job &j) {
  start(some, blocks_for(j, size_t{j.p[1]} * 4), j.p[1], 0, j);
}
static void run_stretch(const job &j) {
  start(stretch, blocks_for(j, size_t{j.p[1]} * 16), j.p[1], 0, j);
}
static void run_triangle(const job &j) {
  start(triangle, blocks_for(j, size_t{j.p[0]} * 16), j.p[0], 0, j);
}
static void run_steps(const job &j) {
  const uint32_t blocks = processors() * j.p[2], shared = shared_for(j.p[2], 0);
  if (j.p[0] == 1) return start(steps<1>, blocks, j.p[1], shared, j);
  start(steps<4>, blocks, j.p[1], shared, j);
}
static void run_busy(const job &j) {
  start(busy, blocks_for(j, size_t{j.p[1]} * 16), j.p[1], 0, j);
}
static void run_stay(const job &j) {
  start(stay, processors() * j.p[3], j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_late(const job &j) {
  start(late, processors() * j.p[3], j.p[2], shared_for(j.p[3], j.p[0] * j.p[1]), j);
}
static void run_drawn(const job &j) {
  start(drawn, processors() * j.p[2], j.p[1], shared_for(j.p[2], j.p[0]), j);
}
static void run_dots(const job &j) {
  start(dots, blocks_for(j, j.p[0]), j.p[1], shared_for(j.p[2], 2 * j.p[0]), j);
}
static void run_looks(const job &j) {
  const CUtensorMap from = map_of(j.in, j, j.p, false, false);
  start(looks, processors() * j.p[4], j.p[3], shared_for(j.p[4], j.p[0] * j.p[1] * 4 * j.p[2]), from, from,
        j);
}
static void run_swap(const job &j) {
  const uint32_t from_box[] = {j.p[0], j.p[1], 1}, to_box[] = {j.p[0], 1, j.p[1]};
  const uint32_t planes = blocks_for(j, size_t{CUBE_WIDTH} * CUBE_HEIGHT * 4);
  const CUtensorMap from = map_of_cube(j.in, CUBE_HEIGHT, planes, from_box);
  const CUtensorMap to = map_of_cube(j.out, planes, CUBE_HEIGHT, to_box);
  start(swap, dim3(CUBE_WIDTH / j.p[0], CUBE_HEIGHT / j.p[1], planes), j.p[2],
        shared_for(j.p[3], j.p[0] * j.p[1] * 4), from, to, j);
}
static void run_hand(const job &j) {
  start_clusters(hand, blocks_for(j, j.p[0]), j.p[2], shared_for(j.p[3], 2 * j.p[0]), j.p[1], j);
}

// moved: bytes that the caller asks for, in arrays
struct family {
  const char *name;
  void (*run)(const job &);
  double moved;
  check checked;
};
static const family families[] = {
    {"pieces", run_pieces, 2, ONE_MORE},
    {"crew", run_crew, 2, ONE_MORE},
    {"batch", run_batch, 2, ONE_MORE},
    {"spill", run_spill, 2, ONE_MORE},
    {"pour", run_pour, 1, NOT},
    {"adds", run_adds, 3, NOT},
    {"rows-in", run_rows_in, 2, SUM},
    {"rows-out", run_rows_out, 2, SUM},
    {"level", run_level, 2, NOT},
    {"twins", run_twins, 1.5, NOT},
    {"each", run_each, 2, SAME},
    {"own", run_own, 2, ONE_MORE},
    {"async", run_async, 2, ONE_MORE},
    {"turn", run_turn, 2, TURNED},
    {"row-sums", run_row_sums, 1, NOT},
    {"column-sums", run_column_sums, 1, NOT},
    {"four", run_four, 1.25, NOT},
    {"widen", run_widen, 1.5, NOT},
    {"pick", run_pick, 2, SUM},
    {"every", run_every, 1, NOT},
    {"two-reads", run_two_reads, 1, NOT},
    {"three", run_three, 2, NOT},
    {"chain", run_chain, 2, NOT},
    {"put", run_put, 1, NOT},
    {"cubes", run_cubes, 2, ONE_MORE},
    {"sheets", run_sheets, 2, ONE_MORE},
    {"cross", run_cross, 2, NOT},
    {"flip", run_flip, 2, TURNED},
    {"deal", run_deal, 2, ONE_MORE},
    {"peers", run_peers, 2, ONE_MORE},
    {"backward", run_backward, 2, SUM},
    {"shifted", run_shifted, 2, NOT},
    {"split", run_split, 2, NOT},
    {"joined", run_joined, 2, NOT},
    {"warp-rows", run_warp_rows, 2, NOT},
    {"taps", run_taps, 2, NOT},
    {"some", run_some, 1, NOT},
    {"stretch", run_stretch, 1, NOT},
    {"triangle", run_triangle, 1, NOT},
    {"steps", run_steps, 2, ONE_MORE},
    {"busy", run_busy, 2, ONE_MORE},
    {"stay", run_stay, 2, ONE_MORE},
    {"late", run_late, 2, ONE_MORE},
    {"drawn", run_drawn, 2, ONE_MORE},
    {"dots", run_dots, 1, NOT},
    {"looks", run_looks, 1, NOT},
    {"swap", run_swap, 2, SUM},
    {"hand", run_hand, 2, ONE_MORE},
    {"gather", run_gather, 2, SUM},
    {"scatter", run_scatter, 2, SUM},
    {"own-sums", run_own_sums, 1, NOT},
    {"own-fill", run_own_fill, 1, NOT},
    {"own-few", run_own_few, 2, ONE_MORE},
    {"askew", run_askew, 2, NOT},
    {"sparse", run_sparse, 1, NOT},
    {"patches", run_patches, 2, ONE_MORE},
    {"parts", run_parts, 2, NOT},
    {"leaning", run_leaning, 2, TURNED},
    {"triples", run_triples, 2, NOT},
    {"spots", run_spots, 2, SUM},
    {"glance", run_glance, 1, NOT},
    {"stride", run_stride, 2, NOT},
    {"prefixes", run_prefixes, 2, NOT},
    {"tree", run_tree, 1, NOT},
    {"counts", run_counts, 1, NOT},
    {"follow", run_follow, 2, NOT},
    {"polynomial", run_polynomial, 2, NOT},
    {"roots", run_roots, 2, NOT},
    {"rounds", run_rounds, 2, ONE_MORE},
    {"few", run_few, 2, ONE_MORE},
    {"ticket", run_ticket, 2, SUM},
    {"tally", run_tally, 1, NOT},
    {"lend", run_lend, 2, ONE_MORE},
    {"meet", run_meet, 2, ONE_MORE},
    {"move", run_move, 2, ONE_MORE},
    {"groups", run_groups, 2, ONE_MORE},
    {"panels", run_panels, 1, NOT},
    {"lines", run_lines, 1, NOT},
    {"shares", run_shares, 1, NOT},
    {"cast", run_cast, 1, NOT},
    {"scale", run_scale, 2, ONE_MORE},
    {"five", run_five, 2, NOT},
    {"halves", run_halves, 2, TURNED},
    {"seven", run_seven, 2, NOT},
    {"loop", run_loop, 2, ONE_MORE},
    {"total", run_total, 1, NOT},
    {"fill", run_fill, 1, NOT},
    {"naive", run_naive, 2, TURNED},
    {"crossed", run_crossed, 2, TURNED},
    {"cub-sum", [](const job &j) { run_cub(j, CUB_SUM); }, 1, NOT},
    {"cub-scan", [](const job &j) { run_cub(j, CUB_SCAN); }, 2, NOT},
    {"cub-select", [](const job &j) { run_cub(j, CUB_SELECT); }, 1.25, NOT},
    {"cub-sort", [](const job &j) { run_cub(j, CUB_SORT); }, 2, NOT},
    {"cub-scan-wide", [](const job &j) { run_cub(j, CUB_SCAN_WIDE); }, 2, NOT},
    {"cub-pairs", [](const job &j) { run_cub(j, CUB_PAIRS); }, 2, NOT},
    {"cub-counts", [](const job &j) { run_cub(j, CUB_COUNTS); }, 1, NOT},
    {"cub-add", [](const job &j) { run_cub(j, CUB_ADD); }, 2, ONE_MORE},
    {"cub-unique", [](const job &j) { run_cub(j, CUB_UNIQUE); }, 2, NOT},
    {"cub-part", [](const job &j) { run_cub(j, CUB_PART); }, 2, NOT},
    {"cub-max-at", [](const job &j) { run_cub(j, CUB_MAX_AT); }, 1, NOT},
    {"hash", run_hash, 2, NOT},
    {"hash-one", run_hash_one, 2, NOT},
    {"diverge", run_diverge, 2, NOT},
    {"digits", run_digits, 2, NOT},
    {"shuffles", run_shuffles, 2, NOT},
    {"match", run_match, 1, NOT},
    {"packed", run_packed, 2, NOT},
    {"sorted", run_sorted, 2, NOT},
    {"saxpy", run_saxpy, 3, NOT},
    {"ldg", run_ldg, 2, ONE_MORE},
    {"dotted", run_dotted, 1, NOT},
    {"softmax", run_softmax, 2, NOT},
    {"norm", run_norm, 2, NOT},
    {"jacobi", run_jacobi, 2, NOT},
    {"volume", run_volume, 2, NOT},
    {"blur", run_blur, 2, NOT},
    {"quads", run_quads, 2, TURNED},
    {"zip", run_zip, 2, NOT},
    {"narrow", run_narrow, 1.5, NOT},
    {"lookup", run_lookup, 2, NOT},
    {"trickle", run_trickle, 2, ONE_MORE},
    {"pipe", run_pipe, 2, ONE_MORE},
    {"boxed", run_boxed, 2, ONE_MORE},
    {"standard", run_standard, 2, ONE_MORE},
    {"accrue", run_accrue, 3, NOT},
    {"cub-min", [](const job &j) { run_cub(j, CUB_MIN); }, 1, NOT},
    {"cub-exclusive", [](const job &j) { run_cub(j, CUB_EXCLUSIVE); }, 2, NOT},
    {"cub-flagged", [](const job &j) { run_cub(j, CUB_FLAGGED); }, 2.25, NOT},
    {"axpby", run_axpby, 1.5, NOT},
    {"soft-rows", run_soft_rows, 2, NOT},
    {"layer-norm", run_layer_norm, 2, NOT},
    {"octets", run_octets, 1, NOT},
    {"scan-part", run_scan_part, 2, NOT},
    {"embed", run_embed, 1, NOT},
    {"turn-wide", run_turn_wide, 2, NOT},
    {"turn-half", run_turn_half, 2, NOT},
    {"slots", run_slots, 2, ONE_MORE},
    {"half-eight", run_half_eight, 1.5, NOT},
    {"to-eight-bits", run_to_eight_bits, 1.25, NOT},
    {"matrices", run_matrices, 2, NOT},
    {"products", run_products, 1.5, NOT},
    {"wave", run_wave, 3, NOT},
    {"halo", run_halo, 2, NOT},
    {"compact", run_compact, 1.25, NOT},
    {"ahead", run_ahead, 2, ONE_MORE},
    {"fill-streaming", run_fill_streaming, 1, NOT},
    {"peak", run_peak, 1, NOT},
    {"thin", run_thin, 2, ONE_MORE},
    {"times-vector", run_times_vector, 1, NOT},
    {"vector-times", run_vector_times, 1, NOT},
    {"gray", run_gray, 4.0 / 3, NOT},
    {"bias", run_bias, 2, NOT},
    {"rotary", run_rotary, 2, NOT},
    {"odd-bits", run_odd_bits, 1.03125, NOT},
    {"ends-of-lines", run_ends_of_lines, 1, NOT},
    {"row-best", run_row_best, 1, NOT},
    {"butterfly", run_butterfly, 2, NOT},
    {"few-of-row", run_few_of_row, 1.0625, NOT},
    {"narrow-copy", run_narrow_copy, 2, SAME},
    {"once", run_once, 2, ONE_MORE},
    {"keep", run_keep, 2, ONE_MORE},
    {"queue", run_queue, 2, ONE_MORE},
    {"nine", run_nine, 2, NOT},
    {"tile-turn", run_tile_turn, 2, TURNED},
    {"solo", run_solo, 2, ONE_MORE},
    {"solo-sum", run_solo, 1, NOT},
    {"rms", run_rms, 2, NOT},
    {"weights", run_weights, 2, NOT},
    {"roles", run_roles, 2, ONE_MORE},
    {"around", run_around, 2, NOT},
    {"beforehand", run_beforehand, 2, ONE_MORE},
};

#endif
