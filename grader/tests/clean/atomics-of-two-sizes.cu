// A pair of counters is raised as one number of 64 bits, and each by itself by 32 bits: never both at a time.
// In shared memory a barrier stands between, in global memory the ticket of the block that comes last.
#include "corpus.h"

__global__ void kernel(int *out, const int *in) {
  __shared__ alignas(8) unsigned pair[2];
  __shared__ int ticket;
  unsigned *total = reinterpret_cast<unsigned *>(out);
  unsigned long long *both = reinterpret_cast<unsigned long long *>(pair),
                     *both_totals = reinterpret_cast<unsigned long long *>(out);
  if (threadIdx.x < 2) pair[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(both, 1ull << 32 | static_cast<unsigned>(in[threadIdx.x]));
  __syncthreads();
  atomicAdd(&pair[threadIdx.x % 2], 1u);
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(both_totals, *both);
    __threadfence();
    ticket = atomicAdd(&out[2], 1);
  }
  __syncthreads();
  if (ticket == static_cast<int>(gridDim.x) - 1 && threadIdx.x == 32) {
    __threadfence();
    atomicAdd(&total[1], 5u);
  }
}

int main() {
  return corpus_check(
      64, [](int *out, const int *in) { kernel<<<3, 64>>>(out, in); },
      [](const std::vector<int> &in, size_t i) {
        int sum = 0;
        for (const int value : in)
          sum += value;
        return i == 0 ? 3 * (sum + 32) : i == 1 ? 3 * (64 + 32) + 5 : i == 2 ? 3 : 0;
      });
}
