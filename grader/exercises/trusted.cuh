// What the referee's own kernels of all labs share. They run in its own process, on memory that it shares
// with the student's. In: a case. Out: inputs are made, outputs poisoned, results checked; and a plain read
// is timed. The idea: gigabytes are made and checked on the GPU, by the formulas of the CPU's references, and
// never copied to the host.
//
// A lab whose exercises are timed has LAB/trusted.cu. For each NAME that its exercises give as `trusted` it
// holds a struct NAME with the bits of input element i, TRUSTED(NAME), and a kernel trusted_NAME_check. The
// kernel counts wrong results with report_output and, where the output is another array, changed inputs with
// report_input.
#ifndef EXERCISES_TRUSTED_CUH
#define EXERCISES_TRUSTED_CUH

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

// Only outputs are poisoned. Inputs are made anew from other numbers, so that late elements are stale before
// they are written.
extern "C" __global__ void trusted_poison(uint32_t *out, uint64_t words) {
  EACH(i, words) out[i] = OUTPUT_POISON;
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

#endif
