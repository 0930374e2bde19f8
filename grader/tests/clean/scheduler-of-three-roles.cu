// A persistent kernel of three roles: one warp takes tiles from a counter and hands their numbers on through
// a ring of slots, one loads the tiles, and four compute, which meet at a named barrier.
#include "corpus.h"

constexpr uint32_t TILE = 128, TILES = 20, SLOTS = 2, STAGES = 3, END = TILES;

struct place_in_ring {
  uint32_t size, index = 0, parity = 0;
  __device__ void next() {
    if (++index < size) return;
    index = 0;
    parity ^= 1;
  }
};

struct storage {
  alignas(128) int tile[STAGES][TILE];
  uint32_t slot[SLOTS], seen[4];
  uint64_t told[SLOTS], read[SLOTS], full[STAGES], empty[STAGES];
};

__device__ static void schedule(storage &s, int *counter) {
  place_in_ring at{SLOTS};
  for (uint32_t tile = 0; tile != END; at.next()) {
    wait(&s.read[at.index], at.parity ^ 1);
    tile = min(static_cast<uint32_t>(atomicAdd(counter, 1)), END);
    s.slot[at.index] = tile;
    arrive(&s.told[at.index]);
  }
}

__device__ static void load(storage &s, const int *in) {
  place_in_ring at{SLOTS}, stage{STAGES};
  for (;; stage.next()) {
    wait(&s.told[at.index], at.parity);
    const uint32_t tile = s.slot[at.index];
    arrive(&s.read[at.index]);
    at.next();
    if (tile == END) return;
    wait(&s.empty[stage.index], stage.parity ^ 1);
    expect_bytes_and_arrive(&s.full[stage.index], sizeof s.tile[0]);
    cp_async_bulk_global_to_shared(s.tile[stage.index], in + tile * TILE, sizeof s.tile[0],
                                   &s.full[stage.index]);
  }
}

__device__ static void compute(storage &s, int *out) {
  place_in_ring at{SLOTS}, stage{STAGES};
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (;; stage.next()) {
    wait(&s.told[at.index], at.parity);
    const uint32_t number = s.slot[at.index];
    __syncwarp();
    if (lane == 0) arrive(&s.read[at.index]);
    at.next();
    if (number == END) return;
    wait(&s.full[stage.index], stage.parity);
    const int value = s.tile[stage.index][threadIdx.x];
    __syncwarp();
    if (lane == 0) arrive(&s.empty[stage.index]);
    if (lane == 0) s.seen[warp] = number;
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[s.seen[warp ^ 1] * TILE + threadIdx.x] = value + 1;
    asm volatile("bar.sync 2, 128;" ::: "memory");
  }
}

__global__ void kernel(int *out, const int *in, int *counter) {
  __shared__ storage s;
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < SLOTS; i++) {
      init_barrier(&s.told[i], 1);
      init_barrier(&s.read[i], 5);
    }
    for (uint32_t i = 0; i < STAGES; i++) {
      init_barrier(&s.full[i], 1);
      init_barrier(&s.empty[i], 4);
    }
  }
  __syncthreads();
  if (threadIdx.x < 128)
    compute(s, out);
  else if (threadIdx.x == 128)
    load(s, in);
  else if (threadIdx.x == 160)
    schedule(s, counter);
}

int main() {
  return corpus_check(
      TILES * TILE,
      [](int *out, const int *in) {
        int *counter;
        CUDA_CHECK(cudaMalloc(&counter, sizeof *counter));
        CUDA_CHECK(cudaMemset(counter, 0, sizeof *counter));
        kernel<<<3, 192>>>(out, in, counter);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaFree(counter));
      },
      corpus_plus_one);
}
