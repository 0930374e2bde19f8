// A block sets flags by plain stores, after a fence; the next one reads each of them by another atomic that
// leaves what it finds: the larger of the flag and 0, the smaller of it and the largest number, all of its
// bits kept, one exchanged for itself, 0 added.
#include "corpus.h"

constexpr uint32_t THREADS = 64, BLOCKS = 4, WAYS = 9;

struct mailbox {
  int values[WAYS][BLOCKS * THREADS];
  int flag[WAYS][BLOCKS];
  unsigned long long wide[BLOCKS];
  float number[BLOCKS];
};

__device__ static void wait_for(mailbox *box, uint32_t way, uint32_t block) {
  int *flag = &box->flag[way][block];
  unsigned *bits = reinterpret_cast<unsigned *>(flag);
  unsigned seen = 0;
  while (seen == 0) {
    if (way == 0) seen = static_cast<unsigned>(atomicMax(flag, 0));
    if (way == 1) seen = atomicMax(bits, 0u);
    if (way == 2) seen = static_cast<unsigned>(atomicMin(flag, 0x7fffffff));
    if (way == 3) seen = atomicMin(bits, ~0u);
    if (way == 4) seen = atomicAnd(bits, ~0u);
    if (way == 5) seen = atomicXor(bits, 0);
    if (way == 6) seen = atomicCAS(bits, 1, 1);
    if (way == 7) seen = atomicMax(&box->wide[block], 0ull) != 0;
    if (way == 8) seen = atomicAdd(&box->number[block], 0.0f) != 0;
  }
}

__device__ static void set(mailbox *box, uint32_t way, uint32_t block) {
  if (way < 7) box->flag[way][block] = 1;
  if (way == 7) box->wide[block] = 1;
  if (way == 8) box->number[block] = 1;
}

__global__ void kernel(int *out, const int *in, mailbox *box) {
  const uint32_t i = threadIdx.x, block = blockIdx.x, next = (block + 1) % BLOCKS;
  int sum = 0;
  for (uint32_t way = 0; way < WAYS; way++) {
    box->values[way][block * THREADS + i] = in[block * THREADS + i];
    __threadfence();
    __syncthreads();
    if (i == 0) {
      set(box, way, block);
      wait_for(box, way, next);
      __threadfence();
    }
    __syncthreads();
    sum += box->values[way][next * THREADS + i];
  }
  out[block * THREADS + i] = sum;
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
        return static_cast<int>(WAYS) * in[(i / THREADS + 1) % BLOCKS * THREADS + i % THREADS];
      });
}
