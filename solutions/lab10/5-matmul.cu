// In: a, m rows of k bf16 numbers; b, n rows of k. Out: c = a * b^T, m rows of n, summed in float, as bf16.
// The idea: the tensor cores multiply tiles straight from shared memory while the copy engine loads the next
// ones. One warpgroup loads, two multiply, and results leave while the next tile is computed.
#include "lab10.h"
#include "matmul.cuh"

// Thread 0 of the first warpgroup: fills stage after stage, for all tiles of this block.
__device__ static void load(storage &s, const CUtensorMap *a_map, const CUtensorMap *b_map, const work &w) {
  ring_place at = {0, 0};
  for (uint32_t tile = blockIdx.x; tile < w.down * w.across; tile += gridDim.x) {
    const place to = place_of_tile(w, tile);
    for (int32_t k = 0; k < static_cast<int32_t>(w.k); k += STEP) {
      // TODO(2): wait until the stage is empty, announce its bytes, and load both factors. Which parity has
      // a phase that need not have come? (4 lines)
      // BEGIN SOLUTION
      wait(&s.empty[at.stage], at.parity ^ 1);
      expect_bytes_and_arrive(&s.full[at.stage], sizeof(stage));
      cp_async_bulk_tensor_2d_global_to_shared(s.stages[at.stage].a, a_map, k, to.row, &s.full[at.stage]);
      cp_async_bulk_tensor_2d_global_to_shared(s.stages[at.stage].b, b_map, k, to.column, &s.full[at.stage]);
      // END SOLUTION
      at.advance();
    }
  }
}

// One of the other warpgroups: the products of a tile, all steps of k. `group`: 0 or 1, which rows.
__device__ static void multiply(storage &s, float (&sums)[128], ring_place &at, uint32_t group, uint32_t k) {
  uint32_t last = 0;
  for (uint32_t done = 0; done < k; done += STEP) {
    // TODO(3): wait for the stage. Start its four products, 16 numbers of k each, as one group: the first of
    // a tile sets the sums, all others add to them. (7 lines)
    // BEGIN SOLUTION
    wait(&s.full[at.stage], at.parity);
    const uint64_t a = wgmma_descriptor(s.stages[at.stage].a + group * GROUP_ROWS * STEP);
    const uint64_t b = wgmma_descriptor(s.stages[at.stage].b);
    wgmma_fence();
    for (uint32_t i = 0; i < STEP / 16; i++)
      wgmma_m64n256k16_f32_bf16(sums, a + 2 * i, b + 2 * i, done + i > 0);
    wgmma_commit_group();
    // END SOLUTION

    // TODO(4): leave this group running, and wait for the one before. Whose stage may then be filled again?
    // One thread of the warpgroup says so. (2 lines)
    // BEGIN SOLUTION
    wgmma_wait_until_pending<1>();
    if (done > 0 && threadIdx.x % GROUP == 0) arrive(&s.empty[last]);
    // END SOLUTION
    last = at.stage;
    at.advance();
  }
  // TODO(5): wait for the last group, too, and give its stage back. (2 lines)
  // BEGIN SOLUTION
  wgmma_wait_until_pending<0>();
  if (threadIdx.x % GROUP == 0) arrive(&s.empty[last]);
  // END SOLUTION
}

// The sums of a warpgroup leave in panels, each through one of two buffers.
__device__ static void store(storage &s, const float (&sums)[128], const CUtensorMap *c_map, place to,
                             uint32_t group) {
#pragma unroll
  for (uint32_t panel = 0; panel < PANELS; panel++) {
    uint16_t *out = s.out[group][panel % BUFFERS];
    // TODO(6): has the panel that was here before been read? The thread that has stored it knows, the others
    // wait for that thread. (2 lines)
    // BEGIN SOLUTION
    if (threadIdx.x % GROUP == 0) tma_wait_until_read_pending<BUFFERS - 1>();
    synchronise_group();
    // END SOLUTION
    put_panel(out, sums, panel);
    // TODO(7): hand the panel over, and store it as a group of its own. (6 lines)
    // BEGIN SOLUTION
    async_proxy_fence();
    synchronise_group();
    if (threadIdx.x % GROUP == 0) {
      cp_async_bulk_tensor_2d_shared_to_global(c_map, to.column + panel * PANEL, to.row, out);
      tma_commit_group();
    }
    // END SOLUTION
  }
}

__global__ void __launch_bounds__(THREADS, 1)
    matmul(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map,
           const __grid_constant__ CUtensorMap c_map, work w) {
  extern __shared__ __align__(1024) unsigned char memory[];
  storage &s = *reinterpret_cast<storage *>(memory);
  if (threadIdx.x == 0) {
    // TODO(1): initialise the barriers. Who arrives at which? (4 lines)
    // BEGIN SOLUTION
    for (uint32_t i = 0; i < STAGES; i++) {
      init_barrier(&s.full[i], 1);
      init_barrier(&s.empty[i], MULTIPLIERS);
    }
    // END SOLUTION
  }
  __syncthreads();
  if (threadIdx.x < GROUP) {
    warpgroup_registers_down<40>(); // loading takes few registers
    if (threadIdx.x == 0) load(s, &a_map, &b_map, w);
    return;
  }
  warpgroup_registers_up<232>(); // multiplying takes many
  const uint32_t group = threadIdx.x / GROUP - 1;
  ring_place at = {0, 0};
  float sums[128];
  for (uint32_t tile = blockIdx.x; tile < w.down * w.across; tile += gridDim.x) {
    const place to = place_of_tile(w, tile);
    multiply(s, sums, at, group, w.k);
    store(s, sums, &c_map, {static_cast<int32_t>(to.row + group * GROUP_ROWS), to.column}, group);
  }
  if (threadIdx.x % GROUP == 0) tma_wait_until_read_pending<0>();
}

extern "C" cudaError_t launch_matmul(uint16_t *c, const uint16_t *a, const uint16_t *b, size_t m, size_t n,
                                     size_t k, cudaStream_t stream) {
  CUtensorMap a_map, b_map, c_map;
  cudaError_t error = encode_matrix(&a_map, a, m, k, ROWS, CU_TENSOR_MAP_SWIZZLE_128B);
  if (error == cudaSuccess) error = encode_matrix(&b_map, b, n, k, COLUMNS, CU_TENSOR_MAP_SWIZZLE_128B);
  if (error == cudaSuccess) error = encode_matrix(&c_map, c, m, n, GROUP_ROWS, CU_TENSOR_MAP_SWIZZLE_128B);
  if (error != cudaSuccess) return error;
  return launch_tiles(matmul, a_map, b_map, c_map, m, n, k, stream);
}
