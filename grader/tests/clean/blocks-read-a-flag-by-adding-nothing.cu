// A block sets a flag by a plain store, after a fence; the next one reads it by atomicAdd(flag, 0), and later
// by atomicOr. Nothing is lost if the store comes last: the atomics leave the value as it is.
#include "corpus.h"

constexpr uint32_t THREADS = 64, BLOCKS = 4;

struct mailbox {
  int values[BLOCKS * THREADS], late[BLOCKS * THREADS], flag[BLOCKS], late_flag[BLOCKS];
};

__global__ void kernel(int *out, const int *in, mailbox *box) {
  const uint32_t i = threadIdx.x, block = blockIdx.x, next = (block + 1) % BLOCKS;
  box->values[block * THREADS + i] = in[block * THREADS + i];
  __threadfence();
  __syncthreads();
  if (i == 0) {
    box->flag[block] = 1;
    while (atomicAdd(&box->flag[next], 0) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  box->late[block * THREADS + i] = box->values[next * THREADS + i];
  __threadfence();
  __syncthreads();
  if (i == 0) {
    __stcg(&box->late_flag[block], 1);
    while (atomicOr(&box->late_flag[next], 0) == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  out[block * THREADS + i] = box->late[next * THREADS + i];
}

int main() {
  return corpus_check(
      BLOCKS * THREADS,
      [](int *out, const int *in) {
        mailbox *box;
        CUDA_CHECK(cudaMalloc(&box, sizeof *box));
        CUDA_CHECK(cudaMemset(box, 0, sizeof *box));
        kernel<<<BLOCKS, THREADS>>>(out, in, box);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(box));
      },
      [](const std::vector<int> &in, size_t i) {
        return in[(i / THREADS + 2) % BLOCKS * THREADS + i % THREADS];
      });
}
