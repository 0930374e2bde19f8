// The referee's kernels of lab9. In: a case. Out: its inputs, and what is wrong with results, on the GPU.
// What all labs share is in trusted.cuh.
#include "exercises/trusted.cuh"

// ---- the bits of the exercises' inputs ----

struct bulk_copy_1d {
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) {
    return bulk_copy_1d_input(random_at(c, i));
  }
};

struct tiles_2d {
  __device__ static float value(const trusted_case &c, uint64_t i) { return tiles_2d_input(random_at(c, i)); }
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) { return __float_as_uint(value(c, i)); }
};

struct phase_reuse {
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) {
    return column_sums_input(random_at(c, i));
  }
};

struct store_commit_groups {
  __device__ static float value(const trusted_case &c, uint64_t i) {
    return store_commit_groups_input(random_at(c, i), c.a, c.b);
  }
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) { return __float_as_uint(value(c, i)); }
};

TRUSTED(bulk_copy_1d)
TRUSTED(tiles_2d)
TRUSTED(phase_reuse)
TRUSTED(store_commit_groups)

// ---- checking output and input: each input element is computed once for both ----

extern "C" __global__ void trusted_bulk_copy_1d_check(const uint32_t *out, trusted_case c,
                                                      trusted_finding *finding) {
  EACH(i, c.rows * c.columns)
  if (out[i] != bulk_copy_1d::input(c, i) + 1) report_output(finding, i);
}

// The input's elements of one tile and around it, zero outside the matrix.
constexpr uint32_t TILE_COLUMNS = 64, TILE_ROWS = 32, SPAN = TILE_COLUMNS + 2;

__device__ static void make_tile(float *values, const trusted_case &c, uint64_t left, uint64_t top) {
  for (uint32_t k = threadIdx.x; k < SPAN * (TILE_ROWS + 2); k += 256) {
    const uint64_t x = left + k % SPAN - 1, y = top + k / SPAN - 1; // -1 wraps around to the largest number
    values[k] = x < c.columns && y < c.rows ? tiles_2d::value(c, y * c.columns + x) : 0;
  }
}

extern "C" __global__ void trusted_tiles_2d_check(const float *out, trusted_case c, trusted_finding *finding,
                                                  const float *in) {
  __shared__ float values[SPAN * (TILE_ROWS + 2)];
  const uint64_t across = (c.columns + TILE_COLUMNS - 1) / TILE_COLUMNS,
                 tiles = across * ((c.rows + TILE_ROWS - 1) / TILE_ROWS);
  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const uint64_t left = tile % across * TILE_COLUMNS, top = tile / across * TILE_ROWS;
    make_tile(values, c, left, top);
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < TILE_COLUMNS * TILE_ROWS; k += 256) {
      const uint64_t x = left + k % TILE_COLUMNS, y = top + k / TILE_COLUMNS;
      if (x >= c.columns || y >= c.rows) continue;
      const float *middle = &values[(k / TILE_COLUMNS + 1) * SPAN + k % TILE_COLUMNS + 1];
      // The result is exact, so it is the same whether the compiler fuses operations or not.
      const float expected =
          tiles_2d_result(middle[-static_cast<int>(SPAN)], middle[SPAN], middle[-1], middle[1], *middle);
      const uint64_t offset = y * (c.pitch_bytes / 4) + x, i = y * c.columns + x;
      if (!result_is_right(expected, out[offset], 0)) report_output(finding, i);
      if (__float_as_uint(in[offset]) != __float_as_uint(*middle)) report_input(finding, i);
    }
    __syncthreads();
  }
}

// Adds up the expected column sums, 1024 rows per thread, and checks the input on the way.
extern "C" __global__ void trusted_phase_reuse_sum(const uint32_t *in, trusted_case c,
                                                   trusted_finding *finding, uint32_t *sums) {
  const uint64_t column = blockIdx.x * uint64_t{256} + threadIdx.x, first = blockIdx.y * uint64_t{1024};
  if (column >= c.columns) return;
  uint32_t sum = 0;
  for (uint64_t row = first; row < min(c.rows, first + 1024); row++) {
    const uint64_t i = row * c.columns + column;
    const uint32_t value = phase_reuse::input(c, i);
    if (in[row * (c.pitch_bytes / 4) + column] != value) report_input(finding, i);
    sum += value;
  }
  atomicAdd(&sums[column], sum);
}

extern "C" __global__ void trusted_phase_reuse_check(const uint32_t *out, trusted_case c,
                                                     trusted_finding *finding, const uint32_t *sums) {
  EACH(i, c.columns) if (out[i] != sums[i]) report_output(finding, i);
}

extern "C" __global__ void trusted_store_commit_groups_check(const float *out, trusted_case c,
                                                             trusted_finding *finding, const float *in) {
  EACH(i, c.rows * c.columns) {
    const float value = store_commit_groups::value(c, i);
    const double expected = store_commit_groups_result(c.a, value, c.b);
    if (!result_is_right(expected, out[i], STORE_COMMIT_GROUPS_TOLERANCE * fabs(expected)))
      report_output(finding, i);
    if (__float_as_uint(in[i]) != __float_as_uint(value)) report_input(finding, i);
  }
}
