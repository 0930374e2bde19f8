// One block writes a tensor map into global memory and tells the others by a flag. Each of them waits for the
// flag, acquires the map and loads with it. When all have read it, told by a counter, the block changes it
// and tells them again.
#include "corpus.h"
#include "tma-map-update.cuh"

constexpr uint32_t READERS = 3, ROUNDS = 2, SIDE = 16, BOX = SIDE * SIDE;

__device__ alignas(128) CUtensorMap told_map;
__device__ unsigned told, done;

__device__ static unsigned load_acquire(const unsigned *from) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

__device__ static void tell(const CUtensorMap *maps) {
  for (unsigned round = 0; round < ROUNDS; round++) {
    while (load_acquire(&done) < round * READERS) {
    }
    told_map = maps[round];
    fence_proxy_tensormap_release_gpu();
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&told), "r"(round + 1) : "memory");
  }
}

__global__ void kernel(int *out, const __grid_constant__ CUtensorMap first,
                       const __grid_constant__ CUtensorMap second) {
  __shared__ alignas(128) int box[SIDE][SIDE];
  __shared__ uint64_t bar;
  if (blockIdx.x == 0) {
    const CUtensorMap maps[ROUNDS] = {first, second};
    if (threadIdx.x == 0) tell(maps);
    return;
  }
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  __syncthreads();
  for (unsigned round = 0; round < ROUNDS; round++) {
    if (threadIdx.x == 0) {
      while (load_acquire(&told) <= round) {
      }
      fence_proxy_tensormap_acquire_gpu(&told_map);
      expect_bytes_and_arrive(&bar, sizeof box);
      cp_async_bulk_tensor_2d_global_to_shared(box, &told_map, 0, 0, &bar);
    }
    wait(&bar, round % 2);
    for (uint32_t i = threadIdx.x; i < BOX; i += blockDim.x)
      out[((blockIdx.x - 1) * ROUNDS + round) * BOX + i] = box[i / SIDE][i % SIDE] + 1;
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(&done) : "memory");
  }
}

int main() {
  return corpus_check(
      READERS * ROUNDS * BOX,
      [](int *out, const int *in) {
        kernel<<<1 + READERS, 64>>>(out, corpus_map(in, SIDE, SIDE, SIDE, SIDE),
                                    corpus_map(in + BOX, SIDE, SIDE, SIDE, SIDE));
      },
      [](const std::vector<int> &in, size_t i) { return in[i / BOX % ROUNDS * BOX + i % BOX] + 1; });
}
