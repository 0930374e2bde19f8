// libcu++'s barrier between the threads of a block, over several rounds; then some of them leave it.
#include "corpus.h"
#include <cuda/barrier>

constexpr uint32_t THREADS = 128, STAY = 96;

__global__ void kernel(int *out, const int *in) {
  __shared__ int tile[THREADS];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  int value = in[blockIdx.x * THREADS + threadIdx.x];
  for (int round = 0; round < 3; round++) {
    tile[threadIdx.x] = value;
    bar.arrive_and_wait();
    value += tile[(threadIdx.x + 1) % THREADS];
    bar.arrive_and_wait();
  }
  if (threadIdx.x >= STAY) {
    bar.arrive_and_drop();
  } else {
    tile[threadIdx.x] = value;
    bar.arrive_and_wait();
    value = tile[STAY - 1 - threadIdx.x];
  }
  out[blockIdx.x * THREADS + threadIdx.x] = value;
}

int main() {
  return corpus_check(
      2 * THREADS, [](int *out, const int *in) { kernel<<<2, THREADS>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const size_t first = i / THREADS * THREADS, thread = i % THREADS;
        std::vector<int> now(in.begin() + static_cast<long>(first),
                             in.begin() + static_cast<long>(first + THREADS));
        for (int round = 0; round < 3; round++) {
          const std::vector<int> before = now;
          for (size_t k = 0; k < THREADS; k++)
            now[k] = before[k] + before[(k + 1) % THREADS];
        }
        return thread < STAY ? now[STAY - 1 - thread] : now[thread];
      });
}
