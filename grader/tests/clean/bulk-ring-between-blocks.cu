// Two blocks hand tiles over through two slots of global memory: one stores them by bulk, the other loads
// them by bulk, and each waits for the other's flags. A thread that hands a slot over has waited for the copy
// itself, or has met one that has.
#include "corpus.h"

constexpr uint32_t SLOTS = 2, TILES = 6;

__device__ unsigned filled[SLOTS], freed[SLOTS];

static __device__ unsigned look(const unsigned *flag) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

static __device__ void tell(unsigned *flag, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

static __device__ void fill(int *slots, const int *in) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  for (uint32_t t = 0; t < TILES; t++) {
    const uint32_t s = t % SLOTS, round = t / SLOTS;
    if (threadIdx.x == 0)
      while (look(&freed[s]) < round)
        __nanosleep(100);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      tile[i] = in[t * CORPUS_TILE + i] + 1;
    async_proxy_fence_all();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(slots + s * CORPUS_TILE, tile, sizeof tile);
      tma_commit_group();
      tma_wait_until_pending<0>();
      async_proxy_fence_all();
    }
    __syncthreads(); // thread 32 learns that the store is complete
    if (threadIdx.x == 32) tell(&filled[s], round + 1);
  }
}

static __device__ void use(int *out, const int *slots) {
  __shared__ alignas(128) int tile[CORPUS_TILE];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  __syncthreads();
  for (uint32_t t = 0; t < TILES; t++) {
    const uint32_t s = t % SLOTS, round = t / SLOTS;
    if (threadIdx.x == 0) {
      while (look(&filled[s]) <= round)
        __nanosleep(100);
      async_proxy_fence_all();
      expect_bytes_and_arrive(&bar, sizeof tile);
      cp_async_bulk_global_to_shared(tile, slots + s * CORPUS_TILE, sizeof tile, &bar);
    }
    wait(&bar, t & 1);
    if (threadIdx.x == 32) tell(&freed[s], round + 1); // it has waited itself
    for (uint32_t i = threadIdx.x; i < CORPUS_TILE; i += blockDim.x)
      out[t * CORPUS_TILE + i] = tile[i] + 1;
    __syncthreads();
  }
}

__global__ void kernel(int *out, const int *in) {
  int *const slots = out + TILES * CORPUS_TILE;
  if (blockIdx.x == 0)
    fill(slots, in);
  else
    use(out, slots);
}

int main() {
  return corpus_check((TILES + SLOTS) * CORPUS_TILE,
                      [](int *out, const int *in) {
                        const unsigned none[SLOTS] = {0, 0};
                        CUDA_CHECK(cudaMemcpyToSymbol(filled, none, sizeof none));
                        CUDA_CHECK(cudaMemcpyToSymbol(freed, none, sizeof none));
                        kernel<<<2, 64>>>(out, in);
                      },
                      [](const std::vector<int> &in, size_t i) {
                        return i < TILES * CORPUS_TILE ? in[i] + 2 : in[i - SLOTS * CORPUS_TILE] + 1;
                      });
}
