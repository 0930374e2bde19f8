// Blocks wait for flags in loops of plain loads that do something else, too, now and then: a sleep after some
// rounds, which the compiler puts outside of the loop, rounds of arithmetic inside, and a flag that is asked
// only after another one. nvcc leaves the loads in all of them. A lock is looked at by plain loads before it
// is tried.
#include "corpus.h"

constexpr uint32_t THREADS = 64, BLOCKS = 4, WAYS = 3;

struct mailbox {
  int values[WAYS][BLOCKS * THREADS], flag[WAYS][BLOCKS];
  int lock, turns, trouble;
  unsigned noise[BLOCKS];
};

__device__ static void wait_and_sleep(const int *flag, int patience) {
  int rounds = 0;
  while (__ldcg(flag) == 0)
    if (__builtin_expect(++rounds > patience, 0)) {
      __nanosleep(20);
      rounds = 0;
    }
}

__device__ static unsigned wait_and_reckon(const int *flag, int steps) {
  unsigned x = 1;
  while (__ldcg(flag) == 0)
    for (int step = 0; step < steps; step++)
      x = x * 1664525 + 1013904223;
  return x;
}

__device__ static void take_turn(mailbox *box) {
  do {
    while (__ldcg(&box->lock)) {
    }
  } while (atomicCAS(&box->lock, 0, 1) != 0);
  __threadfence();
  box->turns++;
  __threadfence();
  atomicExch(&box->lock, 0);
}

__global__ void kernel(int *out, const int *in, mailbox *box, int patience) {
  const uint32_t i = threadIdx.x, block = blockIdx.x, next = (block + 1) % BLOCKS, from = next * THREADS + i;
  int sum = 0;
  for (uint32_t way = 0; way < WAYS; way++) {
    __stcg(&box->values[way][block * THREADS + i], in[block * THREADS + i]);
    __threadfence();
    __syncthreads();
    const int *flag = &box->flag[way][next];
    if (i == 0) {
      __stcg(&box->flag[way][block], 1);
      if (way == 0) wait_and_sleep(flag, patience);
      if (way == 1) box->noise[block] = wait_and_reckon(flag, patience);
      if (way == 2)
        while (true) {
          if (__ldcg(&box->trouble)) {
            out[block] = -1;
            return;
          }
          if (__ldcg(flag)) break;
        }
      __threadfence();
    }
    __syncthreads();
    sum += __ldcg(&box->values[way][from]);
  }
  if (i == 0) take_turn(box);
  out[block * THREADS + i] = sum;
}

int main() {
  return corpus_check(
      BLOCKS * THREADS,
      [](int *out, const int *in) {
        mailbox *box;
        CUDA_CHECK(cudaMalloc(&box, sizeof *box));
        CUDA_CHECK(cudaMemset(box, 0, sizeof *box));
        kernel<<<BLOCKS, THREADS>>>(out, in, box, 5);
        CUDA_CHECK(cudaDeviceSynchronize());
        mailbox left;
        CUDA_CHECK(cudaMemcpy(&left, box, sizeof left, cudaMemcpyDeviceToHost));
        check_that(left.turns == BLOCKS, "%d blocks took their turn", left.turns);
        CUDA_CHECK(cudaFree(box));
      },
      [](const std::vector<int> &in, size_t i) {
        return 3 * in[(i / THREADS + 1) % BLOCKS * THREADS + i % THREADS];
      });
}
