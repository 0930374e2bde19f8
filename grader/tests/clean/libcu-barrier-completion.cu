// cuda::barrier with a completion function (it uses atomics), arrive_and_drop, and a barrier with device
// scope in global memory.
#include "corpus.h"
#include <cuda/barrier>

struct count_up {
  int *count;
  __device__ void operator()() noexcept { ++*count; }
};

__global__ void kernel(int *out, const int *in) {
  __shared__ int tile[64], rounds;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block, count_up> bar;
  __shared__ cuda::barrier<cuda::thread_scope_block> plain;
  if (threadIdx.x == 0) {
    rounds = 0;
    new (&bar) cuda::barrier<cuda::thread_scope_block, count_up>(blockDim.x, count_up{&rounds});
    init(&plain, blockDim.x);
  }
  __syncthreads();
  int value = in[blockIdx.x * 64 + threadIdx.x];
  for (int round = 0; round < 3; round++) {
    tile[threadIdx.x] = value;
    bar.arrive_and_wait();
    value += tile[(threadIdx.x + 1) % 64] + rounds;
    bar.arrive_and_wait();
  }
  if (threadIdx.x >= 32) {
    plain.arrive_and_drop();
  } else {
    plain.arrive_and_wait();
    plain.arrive_and_wait();
  }
  out[blockIdx.x * 64 + threadIdx.x] = value;
}

int main() {
  return corpus_check(
      2 * 64, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        std::vector<int> now(in.begin() + static_cast<long>(i / 64 * 64),
                             in.begin() + static_cast<long>(i / 64 * 64 + 64));
        for (int round = 0; round < 3; round++) {
          const std::vector<int> before = now;
          for (size_t k = 0; k < 64; k++)
            now[k] = before[k] + before[(k + 1) % 64] + 2 * round + 1;
        }
        return now[i % 64];
      });
}
