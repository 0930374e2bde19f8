// The referee's own kernels. They run in its own process, on memory that it shares with the student's. In: a
// case. Out: inputs are made, outputs poisoned, results checked; and a plain read is timed. The idea:
// gigabytes are made and checked on the GPU, by the formulas of the CPU's references, and never copied to the
// host.
#include "exercises/formulas.h"
#include "exercises/trusted.h"

#define EACH(i, count) \
  for (uint64_t i = blockIdx.x * uint64_t{256} + threadIdx.x; i < (count); i += gridDim.x * uint64_t{256})

__device__ static uint32_t random_at(const trusted_case &c, uint64_t i) {
  return exercise_random(i % TRUSTED_LATE == c.late_place ? c.late_key : c.key, i);
}

__device__ static uint64_t offset_of(const trusted_case &c, uint64_t i) {
  return c.rows == 1 ? i : i / c.columns * (c.pitch_bytes / 4) + i % c.columns;
}

// Calls each(index, offset) for every element of the input. A division per element would take longer than the
// memory access.
template <class function> __device__ static void each_element(const trusted_case &c, function each) {
  if (c.rows == 1 || c.pitch_bytes == c.columns * 4) {
    EACH(i, c.rows * c.columns) each(i, i);
    return;
  }
  for (uint64_t row = blockIdx.x; row < c.rows; row += gridDim.x)
    for (uint64_t column = threadIdx.x; column < c.columns; column += 256)
      each(row * c.columns + column, row * (c.pitch_bytes / 4) + column);
}

__device__ static void report(uint64_t *count, uint64_t *first, uint64_t index) {
  atomicAdd(reinterpret_cast<unsigned long long *>(count), 1ULL);
  atomicMin(reinterpret_cast<unsigned long long *>(first), static_cast<unsigned long long>(index));
}

__device__ static void report_output(trusted_finding *finding, uint64_t index) {
  report(&finding->wrong_outputs, &finding->first_wrong, index);
}

__device__ static void report_input(trusted_finding *finding, uint64_t index) {
  report(&finding->changed_inputs, &finding->first_changed, index);
}

// ---- the bits of the exercises' inputs ----

struct bulk_copy_1d {
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) { return random_at(c, i); }
};

struct tiles_2d {
  __device__ static float value(const trusted_case &c, uint64_t i) { return tiles_2d_input(random_at(c, i)); }
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) { return __float_as_uint(value(c, i)); }
};

struct phase_reuse {
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) {
    return static_cast<uint32_t>(phase_reuse_input(random_at(c, i), c.bits));
  }
};

struct store_commit_groups {
  __device__ static float value(const trusted_case &c, uint64_t i) {
    return store_commit_groups_input(random_at(c, i));
  }
  __device__ static uint32_t input(const trusted_case &c, uint64_t i) { return __float_as_uint(value(c, i)); }
};

// ---- making inputs ----

template <class exercise> __device__ static void make(uint32_t *in, const trusted_case &c) {
  each_element(c, [&](uint64_t i, uint64_t offset) { in[offset] = exercise::input(c, i); });
}

template <class exercise> __device__ static void make_late(uint32_t *in, const trusted_case &c) {
  EACH(j, c.rows * c.columns / TRUSTED_LATE + 1) {
    const uint64_t i = j * TRUSTED_LATE + c.late_place;
    if (i < c.rows * c.columns) in[offset_of(c, i)] = exercise::input(c, i);
  }
}

#define TRUSTED(name)                                                              \
  extern "C" __global__ void trusted_##name##_make(uint32_t *in, trusted_case c) { \
    make<name>(in, c);                                                             \
  }                                                                                \
  extern "C" __global__ void trusted_##name##_late(uint32_t *in, trusted_case c) { \
    make_late<name>(in, c);                                                        \
  }
TRUSTED(bulk_copy_1d)
TRUSTED(tiles_2d)
TRUSTED(phase_reuse)
TRUSTED(store_commit_groups)

// Only outputs are poisoned. Inputs are made anew from other numbers, so that late elements are stale before
// they are written.
extern "C" __global__ void trusted_poison(uint32_t *out, uint64_t words) {
  EACH(i, words) out[i] = OUTPUT_POISON;
}

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
      if (!(out[offset] == expected)) report_output(finding, i);
      if (!(in[offset] == *middle)) report_input(finding, i);
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
    if (!(fabs(out[i] - expected) <= STORE_COMMIT_GROUPS_TOLERANCE * fabs(expected)))
      report_output(finding, i);
    if (!(in[i] == value)) report_input(finding, i);
  }
}

// ---- measuring ----

// Reads everything once, with 8 quads of words in flight per thread. `seen` is only written for one unlikely
// value, which the compiler can't rule out, so it can't leave the reads out.
extern "C" __global__ void __launch_bounds__(256)
    trusted_read(const uint4 *in, uint64_t quads, uint32_t *seen) {
  constexpr int EACH_THREAD = 8;
  const uint64_t first = blockIdx.x * uint64_t{256 * EACH_THREAD} + threadIdx.x;
  uint4 values[EACH_THREAD];
#pragma unroll
  for (int i = 0; i < EACH_THREAD; i++)
    values[i] = first + i * 256 < quads ? __ldcs(&in[first + i * 256]) : uint4{};
  uint32_t all = 0;
#pragma unroll
  for (int i = 0; i < EACH_THREAD; i++)
    all ^= values[i].x ^ values[i].y ^ values[i].z ^ values[i].w;
  if (all == OUTPUT_POISON) *seen = all;
}

// Measures the latency of one read: a single thread follows a chain of addresses, each of which depends on
// the word before.
extern "C" __global__ void trusted_chase(const uint32_t *in, uint64_t words, uint32_t steps, uint64_t *clocks,
                                         uint64_t *nanoseconds) {
  uint64_t place = 0, start, end;
  const long long first = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start)::"memory");
  for (uint32_t step = 0; step < steps; step++)
    place = (place + 4096 * 977 + __ldcg(&in[place]) % 1021 * 32) % words;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end)::"memory");
  *clocks = clock64() - first + (place == words);
  *nanoseconds = end - start;
}
