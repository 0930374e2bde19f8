// A box with a margin that begins at negative coordinates: the part outside arrives as zeros, and counts in
// full.
#include "corpus.h"

constexpr uint32_t WIDTH = 32, HEIGHT = 16;

__global__ void kernel(int *out, const __grid_constant__ CUtensorMap from) {
  __shared__ alignas(128) int box[HEIGHT + 2][WIDTH + 8];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&bar, sizeof box);
    cp_async_bulk_tensor_2d_global_to_shared(box, &from, -4, -1, &bar);
  }
  __syncthreads();
  wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < WIDTH * HEIGHT; i += blockDim.x) {
    const uint32_t x = i % WIDTH + 4, y = i / WIDTH + 1;
    out[i] = box[y - 1][x] + box[y + 1][x] + box[y][x - 1] + box[y][x + 1];
  }
}

int main() {
  return corpus_check(
      WIDTH * HEIGHT,
      [](int *out, const int *in) {
        kernel<<<1, 64>>>(out, corpus_map(in, WIDTH, HEIGHT, WIDTH + 8, HEIGHT + 2));
      },
      [](const std::vector<int> &in, size_t i) {
        const size_t x = i % WIDTH, y = i / WIDTH;
        return (y > 0 ? in[i - WIDTH] : 0) + (y + 1 < HEIGHT ? in[i + WIDTH] : 0) + (x > 0 ? in[i - 1] : 0) +
               (x + 1 < WIDTH ? in[i + 1] : 0);
      });
}
