// The referee's own matrix product: the yardstick of 5-matmul, and the judge of its results. In: maps of a, b
// and c. Out: c = a * b^T; or how many elements of a given c are wrong. The idea: the results of a timed
// launch are too many for any slower way, so the yardstick's own loop computes them once more and compares
// them where they are, in registers. Its results are tested against the formulas of the CPU.
//
// One block on each processor computes tile after tile. A thread loads tiles of a and b through a ring, two
// warpgroups multiply them. Only Hopper has these instructions, so elsewhere the kernels are empty.
#ifndef EXERCISES_LAB10_TRUSTED_MATMUL_CUH
#define EXERCISES_LAB10_TRUSTED_MATMUL_CUH

#include "exercises/trusted.cuh"
#include "tma-interface.cuh"

namespace trusted_product {

constexpr uint32_t ROWS = TRUSTED_PRODUCT_ROWS, COLUMNS = TRUSTED_PRODUCT_COLUMNS,
                   DEPTH = TRUSTED_PRODUCT_DEPTH, PANEL = TRUSTED_PRODUCT_PANEL;
constexpr uint32_t STAGES = 4, BUFFERS = 2, BAND = 16, GROUP = 128;

struct stage {
  uint16_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
};

struct storage {
  stage stages[STAGES];
  uint16_t out[2][BUFFERS][64 * PANEL];
  uint64_t full[STAGES], empty[STAGES];
};
static_assert(sizeof(storage) <= TRUSTED_PRODUCT_SHARED, "the referee asks for too little shared memory");

struct position {
  uint32_t row, column;
};

// Bands of BAND rows of tiles, column by column.
__device__ static position position_of(const trusted_product_size &size, uint32_t tile) {
  const uint32_t down = (size.m + ROWS - 1) / ROWS, across = (size.n + COLUMNS - 1) / COLUMNS;
  const uint32_t first = tile / (BAND * across) * BAND, height = min(BAND, down - first);
  const uint32_t inside = tile - first * across;
  return {(first + inside % height) * ROWS, inside / height * COLUMNS};
}

__device__ static uint32_t tile_count(const trusted_product_size &size) {
  return ((size.m + ROWS - 1) / ROWS) * ((size.n + COLUMNS - 1) / COLUMNS);
}

// A stage of the ring, and the parity of its phase.
struct turn {
  uint32_t stage, parity;
  __device__ void next() {
    stage = (stage + 1) % STAGES;
    parity ^= stage == 0;
  }
};

__device__ static void load(storage &s, const CUtensorMap *a, const CUtensorMap *b,
                            const trusted_product_size &size) {
  turn at = {0, 0};
  for (uint32_t tile = blockIdx.x; tile < tile_count(size); tile += gridDim.x) {
    const position to = position_of(size, tile);
    for (uint32_t k = 0; k < size.k; k += DEPTH, at.next()) {
      wait(&s.empty[at.stage], at.parity ^ 1);
      expect_bytes_and_arrive(&s.full[at.stage], sizeof(stage));
      cp_async_bulk_tensor_2d_global_to_shared(s.stages[at.stage].a, a, k, to.row, &s.full[at.stage]);
      cp_async_bulk_tensor_2d_global_to_shared(s.stages[at.stage].b, b, k, to.column, &s.full[at.stage]);
    }
  }
}

__device__ static void multiply(storage &s, float (&sums)[128], turn &at, uint32_t group, uint32_t k) {
  turn before = at;
  for (uint32_t done = 0; done < k; done += DEPTH, before = at, at.next()) {
    wait(&s.full[at.stage], at.parity);
    const uint64_t a = wgmma_descriptor(s.stages[at.stage].a + group * 64 * DEPTH);
    const uint64_t b = wgmma_descriptor(s.stages[at.stage].b);
    wgmma_fence();
#pragma unroll
    for (uint32_t i = 0; i < DEPTH / 16; i++)
      wgmma_m64n256k16_f32_bf16(sums, a + 2 * i, b + 2 * i, done + i > 0);
    wgmma_commit_group();
    wgmma_wait_until_pending<1>();
    if (done > 0 && threadIdx.x % GROUP == 0) arrive(&s.empty[before.stage]);
  }
  wgmma_wait_until_pending<0>();
  if (threadIdx.x % GROUP == 0) arrive(&s.empty[before.stage]);
}

// The first of this thread's rows within its warpgroup's; the second is 8 rows further.
__device__ static uint32_t own_row() {
  return threadIdx.x % GROUP / 32 * 16 + threadIdx.x % 32 / 4;
}

__device__ static void meet(uint32_t group) {
  asm volatile("bar.sync %0, %1;" : : "r"(1 + group), "n"(GROUP) : "memory");
}

__device__ static uint32_t pair(float low, float high) {
  uint32_t both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

// Stores one panel of 64 columns. Atoms of 16 bytes are swizzled, so that no bank is met twice.
__device__ static void store_panel(storage &s, const float *sums, const CUtensorMap *c, position to,
                                   uint32_t group, uint32_t panel) {
  uint16_t *out = s.out[group][panel % BUFFERS];
  if (threadIdx.x % GROUP == 0) tma_wait_until_read_pending<BUFFERS - 1>();
  meet(group);
#pragma unroll
  for (uint32_t atom = 0; atom < PANEL / 8; atom++) {
    const float *four = sums + panel * 32 + atom * 4;
    uint16_t *place = out + own_row() * PANEL + (atom ^ own_row() % 8) * 8 + threadIdx.x % 4 * 2;
    *reinterpret_cast<uint32_t *>(place) = pair(four[0], four[1]);
    *reinterpret_cast<uint32_t *>(place + 8 * PANEL) = pair(four[2], four[3]);
  }
  async_proxy_fence();
  meet(group);
  if (threadIdx.x % GROUP != 0) return;
  cp_async_bulk_tensor_2d_shared_to_global(c, to.column + panel * PANEL, to.row + group * 64, out);
  tma_commit_group();
}

__device__ static bool is_right(uint16_t got, uint16_t expected) {
  const float right = float_of_bf16(expected);
  return fabsf(float_of_bf16(got) - right) <= static_cast<float>(MATMUL_TOLERANCE) * fabsf(right);
}

__device__ static void compare(const uint16_t *c, const float (&sums)[128], position to, uint32_t group,
                               const trusted_product_size &size, trusted_finding *finding) {
#pragma unroll
  for (uint32_t i = 0; i < 128; i += 2) {
    const uint32_t expected = pair(sums[i], sums[i + 1]);
    const uint64_t row = to.row + group * 64 + own_row() + i / 2 % 2 * 8;
    const uint64_t column = to.column + i / 4 * 8 + threadIdx.x % 4 * 2, at = row * size.n + column;
    if (row >= size.m || column >= size.n) continue; // n is even
    if (!is_right(c[at], expected & 0xffff)) report_output(finding, at);
    if (!is_right(c[at + 1], expected >> 16)) report_output(finding, at + 1);
  }
}

__device__ static storage &begin() {
  extern __shared__ __align__(1024) unsigned char memory[];
  storage &s = *reinterpret_cast<storage *>(memory);
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < STAGES; i++) {
      init_barrier(&s.full[i], 1);
      init_barrier(&s.empty[i], 2);
    }
  }
  __syncthreads();
  return s;
}

// Calls each(sums, position, group) in both multiplying warpgroups, for every tile.
template <class function>
__device__ static void each_tile(storage &s, const CUtensorMap *a, const CUtensorMap *b,
                                 const trusted_product_size &size, function each) {
  if (threadIdx.x < GROUP) {
    warpgroup_registers_down<40>();
    if (threadIdx.x == 0) load(s, a, b, size);
    return;
  }
  warpgroup_registers_up<232>();
  const uint32_t group = threadIdx.x / GROUP - 1;
  turn at = {0, 0};
  float sums[128];
  for (uint32_t tile = blockIdx.x; tile < tile_count(size); tile += gridDim.x) {
    multiply(s, sums, at, group, size.k);
    each(sums, position_of(size, tile), group);
  }
}

} // namespace trusted_product

extern "C" __global__ void __launch_bounds__(TRUSTED_PRODUCT_THREADS, 1)
    trusted_matmul_product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                           const __grid_constant__ CUtensorMap c, trusted_product_size size) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  using namespace trusted_product;
  storage &s = begin();
  each_tile(s, &a, &b, size, [&](const float(&sums)[128], position to, uint32_t group) {
#pragma unroll
    for (uint32_t panel = 0; panel < COLUMNS / PANEL; panel++)
      store_panel(s, sums, &c, to, group, panel);
  });
  if (threadIdx.x >= GROUP && threadIdx.x % GROUP == 0) tma_wait_until_read_pending<0>();
#endif
}

extern "C" __global__ void __launch_bounds__(TRUSTED_PRODUCT_THREADS, 1)
    trusted_matmul_compare(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                           const uint16_t *c, trusted_product_size size, trusted_finding *finding) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  using namespace trusted_product;
  each_tile(begin(), &a, &b, size, [&](const float(&sums)[128], position to, uint32_t group) {
    compare(c, sums, to, group, size, finding);
  });
#endif
}

#endif
