// A pipeline whose steps are functions that are not inlined, reached by reference, by a virtual method and by
// a pointer to a function.
#include "corpus.h"

constexpr uint32_t TILES = 5;

struct source {
  __device__ virtual void load(int *tile, uint64_t *bar, uint32_t t) const = 0;
};
struct from_global : source {
  const int *data;
  __device__ from_global(const int *d) : data(d) {}
  __device__ __noinline__ void load(int *tile, uint64_t *bar, uint32_t t) const override {
    expect_bytes_and_arrive(bar, CORPUS_TILE * sizeof(int));
    cp_async_bulk_global_to_shared(tile, data + t * CORPUS_TILE, CORPUS_TILE * sizeof(int), bar);
  }
};

__device__ __noinline__ void wait_for(uint64_t &bar, uint32_t parity) {
  while (!try_wait(bar, parity)) {
  }
}
__device__ __noinline__ int plus_one(int x) {
  return x + 1;
}
__device__ __noinline__ int plus_two(int x) {
  return x + 2;
}
__device__ __noinline__ int depth(int n, int x) {
  return n == 0 ? x : depth(n - 1, x + 1) - 1;
}

__global__ void kernel(int *out, const int *in, uint32_t which) {
  __shared__ alignas(128) int tiles[2][CORPUS_TILE];
  __shared__ uint64_t full[2], empty[2];
  int (*const f)(int) = which ? plus_two : plus_one;
  const from_global data(in + size_t{blockIdx.x} * TILES * CORPUS_TILE);
  const source *s = &data;
  if (threadIdx.x < 2) {
    init_barrier(&full[threadIdx.x], 1);
    init_barrier(&empty[threadIdx.x], blockDim.x);
  }
  async_proxy_fence();
  __syncthreads();
  for (uint32_t t = 0; t < TILES; t++) {
    if (threadIdx.x == 0) {
      if (t >= 2) wait_for(empty[t % 2], (t / 2 & 1) ^ 1);
      s->load(tiles[t % 2], &full[t % 2], t);
    }
    wait_for(full[t % 2], t / 2 & 1);
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[(size_t{blockIdx.x} * TILES + t) * CORPUS_TILE + i] =
          depth(static_cast<int>(i % 5), f(tiles[t % 2][i]));
    arrive(&empty[t % 2]);
  }
}

int main() {
  return corpus_check(
      2 * TILES * CORPUS_TILE, [](int *out, const int *in) { kernel<<<2, 64>>>(out, in, 0); },
      corpus_plus_one);
}
