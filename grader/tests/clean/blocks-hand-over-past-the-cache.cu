// Blocks hand values to the next block in four old ways, all sound: volatile data and a volatile flag, with a
// fence between the two; the same by __stcg and __ldcg; a warp that tells the first one by __stcg, and that
// one the other block; and words that hold a state and a value, so that no fence is needed.
#include "corpus.h"

constexpr uint32_t THREADS = 64, BLOCKS = 4;

struct mailbox {
  int values[BLOCKS * THREADS], cached[BLOCKS * THREADS], late[BLOCKS * THREADS];
  int flag[BLOCKS], cached_flag[BLOCKS], ready[BLOCKS], told[BLOCKS];
  unsigned long long word[BLOCKS]; // the upper half: there is a value
};

__device__ static void send(mailbox *box, uint32_t block, uint32_t i, int value) {
  volatile int *values = box->values, *flag = box->flag;
  values[block * THREADS + i] = value;
  __threadfence();
  __syncthreads();
  if (i == 0) flag[block] = 1;
  __syncthreads();
  __stcg(&box->cached[block * THREADS + i], value + 1);
  __threadfence(); // so that the flag comes after it
  __syncthreads();
  if (i == 0) __stcg(&box->cached_flag[block], 1);
  __syncthreads();
  if (i >= 32) {
    box->late[block * THREADS + i] = value + 2;
    __threadfence();
    __syncwarp();
    if (i == 32) __stcg(&box->ready[block], 1);
  } else if (i == 0) {
    while (__ldcg(&box->ready[block]) == 0) // an empty loop would be taken away
      __nanosleep(20);
    __threadfence();
    atomicExch(&box->told[block], 1);
  }
  if (i == 1) *static_cast<volatile unsigned long long *>(&box->word[block]) = 1ull << 32 | (block + 1);
}

__device__ static int sum_of_words(mailbox *box, uint32_t block) {
  int sum = 0;
  for (uint32_t other = 0; other < BLOCKS; other++) {
    if (other == block) continue;
    unsigned long long word;
    do {
      word = *static_cast<volatile unsigned long long *>(&box->word[other]);
    } while (word >> 32 == 0);
    sum += static_cast<int>(word);
  }
  return sum;
}

__global__ void kernel(int *out, const int *in, mailbox *box) {
  __shared__ int sum;
  const uint32_t i = threadIdx.x, block = blockIdx.x, next = (block + 1) % BLOCKS, from = next * THREADS + i;
  volatile int *values = box->values, *flag = box->flag;
  send(box, block, i, in[block * THREADS + i]);
  if (i == 0) {
    while (flag[next] == 0) {
    }
    __threadfence();
  }
  __syncthreads();
  int result = values[from];
  if (i == 0) {
    while (__ldcg(&box->cached_flag[next]) == 0)
      __nanosleep(20);
    __threadfence();
  }
  __syncthreads();
  result += __ldcg(&box->cached[from]);
  if (i == 0) {
    while (atomicAdd(&box->told[next], 0) == 0) {
    }
    __threadfence();
    sum = sum_of_words(box, block);
  }
  __syncthreads();
  if (i >= 32) result += box->late[from];
  out[block * THREADS + i] = result + sum;
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
        const size_t block = i / THREADS, lane = i % THREADS;
        const int value = in[(block + 1) % BLOCKS * THREADS + lane];
        return 2 * value + 1 + (lane >= 32 ? value + 2 : 0) + 10 - static_cast<int>(block + 1);
      });
}
