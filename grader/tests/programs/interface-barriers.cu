// In: nothing. Out: `ok` if every barrier function does what its comment says. The idea: one block uses a
// barrier in every way there is, phase after phase, and leaves a mark for each step.
#include "self-check.h"
#include "tma-interface.cuh"

constexpr uint32_t THREADS = 64;
enum {
  FRESH,
  FRESH_ODD,
  INCOMPLETE,
  ALL_ARRIVED,
  COUNTED,
  BY_REFERENCE,
  SPLIT_EXPECT,
  REUSED,
  ELECTED,
  MARKS
};

__global__ void use_barriers(uint32_t *marks, const uint32_t *source) {
  __shared__ uint64_t bar;
  __shared__ alignas(16) uint32_t tile[32];
  __shared__ uint32_t elected;
  const bool first = threadIdx.x == 0;
  if (first) {
    elected = 0;
    init_barrier(&bar, THREADS);
    async_proxy_fence();
    marks[FRESH] = !test_wait(&bar, 0);
    // the phase before the first counts as completed
    marks[FRESH_ODD] = test_wait(&bar, 1) && try_wait(&bar, 1);
  }
  __syncthreads();
  if (!first) arrive(&bar);
  __syncthreads();
  if (first) {
    marks[INCOMPLETE] = !test_wait(&bar, 0) && !try_wait(bar, 0);
    arrive(&bar);
  }
  wait(&bar, 0); // phase 0
  if (first) marks[ALL_ARRIVED] = test_wait(bar, 0);
  __syncthreads();
  if (first) arrive(&bar, THREADS);
  wait(bar, 1); // phase 1
  if (first) marks[COUNTED] = test_wait(&bar, 1);
  __syncthreads();
  arrive(bar);
  wait(bar, 0); // phase 2
  if (first) marks[BY_REFERENCE] = 1;
  __syncthreads();

  if (first) { // phase 3: bytes announced apart from the arrival, and only after the copy was started
    cp_async_bulk_global_to_shared(tile, source, sizeof tile, bar);
    expect_bytes(&bar, sizeof tile);
  }
  arrive(&bar);
  wait(&bar, 1);
  if (first) marks[SPLIT_EXPECT] = tile[0] == source[0] && tile[31] == source[31];
  __syncthreads();

  if (first) { // another barrier at the same place
    inval_barrier(bar);
    init_barrier(bar, 1);
    expect_bytes_and_arrive(bar, 0);
  }
  __syncthreads();
  wait(&bar, 0);
  if (first) marks[REUSED] = 1;
  if (elect_one()) atomicAdd(&elected, 1);
  __syncthreads();
  if (first) marks[ELECTED] = elected == THREADS / 32;
}

int main() {
  static const char *const names[MARKS] = {"fresh barrier, parity 0",      "fresh barrier, parity 1",
                                           "one arrival missing",          "all arrived",
                                           "arrive with a count",          "by reference",
                                           "expect_bytes after the copy",  "inval and init again",
                                           "one lane of each warp elected"};
  guarded<uint32_t> marks(MARKS), source(32);
  std::vector<uint32_t> values(32);
  for (uint32_t i = 0; i < 32; i++)
    values[i] = 0x1000 + i;
  source.set(values);
  use_barriers<<<1, THREADS>>>(marks.data(), source.data());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<uint32_t> got = marks.get();
  for (int i = 0; i < MARKS; i++)
    check_that(got[i] == 1, "%s: %u", names[i], got[i]);
  return self_check_result();
}
