// Two blocks hand a line over through scratch memory, many times; who has read it gives it up (discard.L2)
// before its turn ends, and the other one writes it again.
#include "corpus.h"

constexpr uint32_t LINE = 32, TURNS = 8; // ints, 128 bytes

__device__ static void await_turn(const int *turn, int wanted) {
  int now;
  do {
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(now) : "l"(turn) : "memory");
  } while (now < wanted);
}

__device__ static void end_turn(int *turn, int next) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(turn), "r"(next) : "memory");
}

// Block 0 has the even turns and sends; block 1 has the odd ones and receives.
__global__ void relay(int *out, const int *in, int *line, int *turn) {
  for (int i = 0; i < static_cast<int>(TURNS); i++) {
    const int mine = 2 * i + static_cast<int>(blockIdx.x);
    await_turn(turn, mine);
    __syncwarp();
    if (blockIdx.x == 0) {
      line[threadIdx.x] = in[i * LINE + threadIdx.x] + 1;
    } else {
      out[i * LINE + threadIdx.x] = line[threadIdx.x];
      __syncwarp();
      if (threadIdx.x == 0) asm volatile("discard.global.L2 [%0], 128;" ::"l"(line) : "memory");
    }
    __syncwarp();
    if (threadIdx.x == 0) end_turn(turn, mine + 1);
  }
}

int main() {
  return corpus_check(
      TURNS * LINE,
      [](int *out, const int *in) {
        int *line, *turn;
        CUDA_CHECK(cudaMalloc(&line, LINE * sizeof(int)));
        CUDA_CHECK(cudaMalloc(&turn, sizeof(int)));
        CUDA_CHECK(cudaMemset(turn, 0, sizeof(int)));
        relay<<<2, LINE>>>(out, in, line, turn);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(line));
        CUDA_CHECK(cudaFree(turn));
      },
      corpus_plus_one);
}
