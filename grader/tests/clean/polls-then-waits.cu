// A thread asks a few times whether its tile is there, and looks after something else in between. When
// that has no end it waits.
#include "corpus.h"

constexpr uint32_t THREADS = 128, MOST_QUESTIONS = 5;

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(128) int tile[THREADS];
  __shared__ uint64_t full;
  const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    expect_bytes_and_arrive(&full, sizeof tile);
    cp_async_bulk_global_to_shared(tile, in + blockIdx.x * THREADS, sizeof tile, &full);
  }
  __syncthreads();
  bool there = false;
  int idle = 0;
  for (uint32_t question = 0; question < MOST_QUESTIONS && !there; question++) {
    there = try_wait(&full, 0);
    idle += !there;
  }
  if (!there) wait(&full, 0);
  out[i] = tile[threadIdx.x] + (idle < 0);
}

int main() {
  return corpus_check(
      4 * THREADS, [](int *out, const int *in) { kernel<<<4, THREADS>>>(out, in); },
      [](const std::vector<int> &in, size_t i) { return in[i]; });
}
