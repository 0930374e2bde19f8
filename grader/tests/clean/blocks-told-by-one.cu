// All warps of a block write; one thread tells the next block, once by a flag and once by a counter. Before
// it does, it meets the others: at a named barrier, and at an mbarrier.
#include "corpus.h"

constexpr uint32_t THREADS = 128, PART = THREADS, CHAIN = 4; // blocks

__device__ static void await(const int *flag, int wanted) {
  int now;
  do {
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(flag) : "memory");
  } while (now < wanted);
}

__device__ static int neighbour_of(uint32_t i) {
  return (i + 64) % THREADS;
}

// Block b adds one to what block b - 1 has made of the part; the first one takes the input.
__global__ void chain(int *out, const int *in, int *steps, int *flags, int *count) {
  __shared__ uint64_t written;
  const uint32_t i = threadIdx.x, warp = i / 32, block = blockIdx.x;
  if (i == 0) {
    init_barrier(&written, THREADS);
    async_proxy_fence();
  }
  __syncthreads();
  if (block > 0 && i == 0) await(&flags[block - 1], 1);
  __syncthreads();
  const int *from = block == 0 ? in : steps + (block - 1) * PART;
  steps[block * PART + i] = from[i] + 1;
  if (warp == 0)
    asm volatile("bar.sync 1, 128;" ::: "memory");
  else
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  if (i == 0) asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(&flags[block]) : "memory");
  steps[(CHAIN + block) * PART + i] = static_cast<int>(block);
  arrive(&written);
  if (i == 0) {
    wait(&written, 0);
    asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(count) : "memory");
    await(count, CHAIN);
  }
  __syncthreads();
  const uint32_t next = (block + 1) % CHAIN;
  out[block * PART + i] =
      steps[block * PART + neighbour_of(i)] + steps[(CHAIN + next) * PART + neighbour_of(i)];
}

int main() {
  return corpus_check(
      CHAIN * PART,
      [](int *out, const int *in) {
        int *steps, *flags;
        CUDA_CHECK(cudaMalloc(&steps, 2 * CHAIN * PART * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&flags, (CHAIN + 1) * sizeof(int)));
        CUDA_CHECK(cudaMemset(flags, 0, (CHAIN + 1) * sizeof(int)));
        chain<<<CHAIN, THREADS>>>(out, in, steps, flags, flags + CHAIN);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(steps));
        CUDA_CHECK(cudaFree(flags));
      },
      [](const std::vector<int> &in, size_t i) {
        const int block = static_cast<int>(i / PART);
        return in[(i + 64) % PART] + block + 1 + (block + 1) % static_cast<int>(CHAIN);
      });
}
