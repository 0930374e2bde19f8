// Tensor tiles, each loaded one round ahead by the interface's functions: no load is issued for a round that
// doesn't come.
#include "corpus.h"

constexpr uint32_t WIDTH = 64, HEIGHT = 48, BOX = 16, ROUNDS = HEIGHT / BOX;

__global__ void kernel(int *out, const __grid_constant__ CUtensorMap from) {
  __shared__ alignas(128) int box[2][BOX][BOX];
  __shared__ uint64_t bar[2];
  const int32_t x = blockIdx.x * BOX;
  if (threadIdx.x == 0) {
    init_barrier(&bar[0], 1);
    init_barrier(&bar[1], 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar[0], sizeof box[0]);
    cp_async_bulk_tensor_2d_global_to_shared(box[0], &from, x, 0, &bar[0]);
  }
  __syncthreads();
  for (uint32_t round = 0; round < ROUNDS; round++) {
    const uint32_t s = round % 2, next = round + 1;
    const bool another = next < ROUNDS;
    if (threadIdx.x == 0 && another) {
      expect_bytes_and_arrive(&bar[s ^ 1], sizeof box[0]);
      cp_async_bulk_tensor_2d_global_to_shared(box[s ^ 1], &from, x, next * BOX, &bar[s ^ 1]);
    }
    wait(&bar[s], round / 2 & 1);
    for (uint32_t i = threadIdx.x; i < BOX * BOX; i += blockDim.x)
      out[(round * BOX + i / BOX) * WIDTH + x + i % BOX] = box[s][i / BOX][i % BOX] + 1;
    __syncthreads();
  }
}

int main() {
  return corpus_check(
      WIDTH * HEIGHT,
      [](int *out, const int *in) {
        kernel<<<WIDTH / BOX, 64>>>(out, corpus_map(in, WIDTH, HEIGHT, BOX, BOX));
      },
      corpus_plus_one);
}
