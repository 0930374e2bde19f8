// libcu++'s barrier, asked for a limited time over and over until the phase is complete.
#include "corpus.h"
#include <cuda/barrier>

constexpr uint32_t THREADS = 128;

__global__ void kernel(int *out, const int *in) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ int tile[THREADS];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  int value = in[blockIdx.x * THREADS + threadIdx.x];
#pragma unroll
  for (int round = 0; round < 3; round++) {
    tile[threadIdx.x] = value;
    bar.arrive_and_wait();
    value += tile[(threadIdx.x + 1) % THREADS];
    const auto token = bar.arrive();
    while (!bar.try_wait_for(barrier::arrival_token(token), cuda::std::chrono::nanoseconds(20))) {
    }
  }
  out[blockIdx.x * THREADS + threadIdx.x] = value;
}

int main() {
  return corpus_check(
      2 * THREADS, [](int *out, const int *in) { kernel<<<2, THREADS>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        const size_t first = i / THREADS * THREADS, thread = i % THREADS;
        const int of[] = {in[first + thread], in[first + (thread + 1) % THREADS],
                          in[first + (thread + 2) % THREADS], in[first + (thread + 3) % THREADS]};
        return of[0] + 3 * of[1] + 3 * of[2] + of[3];
      });
}
