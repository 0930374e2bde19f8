// In: a cause. Out: one launch of a kernel that is slow by this cause alone, or by none (good, plain). What
// `vhopper run --time` says of it has to be true: grader/tests/house/time-advice-test.sh.
//   time-advice CAUSE
#include "cuda-check.h"
#include "tensor-map.h"
#include "tma-interface.cuh"
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

enum cause {
  GOOD,
  FEW_STAGES,
  READERS_COMPUTE,
  READERS_SLEEP,
  READERS_ASK,
  LOADER_COMPUTES,
  LOADER_SLEEPS,
  LOADER_ASKS,
  SMALL_LOADS,
  BANKS,
  ISSUE,
  FLAT_BOXES
};
static const char *const names[] = {"good",        "few-stages",      "readers-compute", "readers-sleep",
                                    "readers-ask", "loader-computes", "loader-sleeps",   "loader-asks",
                                    "small-loads", "banks",           "issue",           "flat-boxes"};
enum { BYTES = 16 << 20, PROCESSORS = 132, FLAT_WIDTH = 4, FLAT_ROWS = 256 };

// Instructions that need each other's results.
__device__ static inline float chain(float x, int steps) {
#pragma unroll 1
  for (int i = 0; i < steps; i++)
    x = x * 1.0001F + 1;
  return x;
}

template <int CAUSE, int STAGES, int STAGE_BYTES, int READERS> struct shared_of {
  alignas(128) float stage[STAGES][STAGE_BYTES / 4];
  uint64_t full[STAGES], empty[STAGES];
};

// A warp that loads, READERS warps that read.
template <int CAUSE, int STAGES, int STAGE_BYTES, int READERS>
__global__ void ring(const __grid_constant__ CUtensorMap boxes, float *out, const float *in,
                     const int *table) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto &s = *reinterpret_cast<shared_of<CAUSE, STAGES, STAGE_BYTES, READERS> *>(memory);
  constexpr int TILES = BYTES / STAGE_BYTES, WORDS = STAGE_BYTES / 4, THREADS = READERS * 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      init_barrier(&s.full[i], 1);
      init_barrier(&s.empty[i], READERS);
    }
    async_proxy_fence();
  }
  __syncthreads();
  float sum = 0;
  int k = 0;
  if (threadIdx.x == THREADS) {
    for (int tile = blockIdx.x; tile < TILES; tile += gridDim.x, k++) {
      const int stage = k % STAGES;
      int from = tile;
      if (CAUSE == LOADER_ASKS) from = table[tile];
      if (CAUSE == LOADER_COMPUTES) sum = chain(sum, 400);
      if (CAUSE == LOADER_SLEEPS) __nanosleep(2000);
      wait(&s.empty[stage], (k / STAGES & 1) ^ 1);
      expect_bytes_and_arrive(&s.full[stage], STAGE_BYTES);
      if (CAUSE == FLAT_BOXES)
        cp_async_bulk_tensor_2d_global_to_shared(s.stage[stage], &boxes, from % 1024 * FLAT_WIDTH,
                                                 from / 1024 * FLAT_ROWS, &s.full[stage]);
      else
        cp_async_bulk_global_to_shared(s.stage[stage], in + static_cast<size_t>(from) * WORDS, STAGE_BYTES,
                                       &s.full[stage]);
    }
  } else if (threadIdx.x < THREADS) {
    const int lane = threadIdx.x;
    for (int tile = blockIdx.x; tile < TILES; tile += gridDim.x, k++) {
      const int stage = k % STAGES;
      wait(&s.full[stage], k / STAGES & 1);
      if (CAUSE == READERS_ASK) sum += static_cast<float>(table[(tile * 64 + lane) % 4096]);
      if (CAUSE == READERS_COMPUTE) sum = chain(sum, 500);
      if (CAUSE == READERS_SLEEP) __nanosleep(3000);
      if (CAUSE == BANKS) {
        for (int i = lane; i < WORDS; i += THREADS)
          sum += s.stage[stage][(i * 32 + i / 32) % WORDS];
      } else if (CAUSE == ISSUE) {
        for (int i = lane; i < WORDS; i += THREADS) {
          float x = s.stage[stage][i], y = x + 1, z = x + 2, w = x + 3;
          for (int n = 0; n < 32; n++)
            x = x * y + 1, y = y * z + 1, z = z * w + 1, w = w * x + 1;
          sum += x + y + z + w;
        }
      } else {
        const float4 *quads = reinterpret_cast<const float4 *>(s.stage[stage]);
        for (int i = lane; i < WORDS / 4; i += THREADS)
          sum += quads[i].x + quads[i].y + quads[i].z + quads[i].w;
      }
      __syncwarp();
      if (lane % 32 == 0) arrive(&s.empty[stage]);
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <int CAUSE, int STAGES, int STAGE_BYTES, int READERS>
static void run_ring(float *out, const float *in, const int *table, int blocks = 1) {
  tensor_map_options o = {};
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  o.rank = 2;
  o.global_address = const_cast<float *>(in);
  o.global_dim[0] = 1024 * FLAT_WIDTH;
  o.global_dim[1] = BYTES / 4 / (1024 * FLAT_WIDTH);
  o.global_strides[0] = 1024 * FLAT_WIDTH * 4;
  o.box_dim[0] = FLAT_WIDTH;
  o.box_dim[1] = FLAT_ROWS;
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  constexpr int shared = sizeof(shared_of<CAUSE, STAGES, STAGE_BYTES, READERS>);
  const auto kernel = ring<CAUSE, STAGES, STAGE_BYTES, READERS>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  kernel<<<PROCESSORS * blocks, READERS * 32 + 32, shared>>>(map, out, in, table);
}

// ---- without a warp that only loads -----------------------------------------------------------------------

// STAGES tiles in turn; thread 0 loads, all add one, thread 0 stores. `written`: waits until stores have.
template <int STAGES, bool WRITTEN, int SLOW_WARP>
__global__ void in_turn(float *out, const float *in, int slow) {
  constexpr int WORDS = 2048, TILES = BYTES / 4 / WORDS;
  __shared__ alignas(128) float stage[STAGES][WORDS];
  __shared__ uint64_t full[STAGES];
  const int step = gridDim.x;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++)
      init_barrier(&full[i], 1);
    async_proxy_fence();
    for (int i = 0; i < STAGES && blockIdx.x + i * step < TILES; i++) {
      expect_bytes_and_arrive(&full[i], sizeof stage[i]);
      cp_async_bulk_global_to_shared(stage[i], in + (blockIdx.x + i * step) * WORDS, sizeof stage[i],
                                     &full[i]);
    }
  }
  __syncthreads();
  int k = 0;
  for (int tile = blockIdx.x; tile < TILES; tile += step, k++) {
    const int s = k % STAGES;
    wait(&full[s], k / STAGES & 1);
    for (int i = threadIdx.x; i < WORDS; i += blockDim.x)
      stage[s][i] += 1;
    if (SLOW_WARP >= 0 && threadIdx.x / 32 == SLOW_WARP) stage[s][threadIdx.x] += chain(1, slow);
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + tile * WORDS, stage[s], sizeof stage[s]);
      tma_commit_group();
      if (WRITTEN)
        tma_wait_until_pending<0>();
      else
        tma_wait_until_read_pending<0>();
      if (tile + STAGES * step < TILES) {
        expect_bytes_and_arrive(&full[s], sizeof stage[s]);
        cp_async_bulk_global_to_shared(stage[s], in + (tile + STAGES * step) * WORDS, sizeof stage[s],
                                       &full[s]);
      }
    }
  }
  if (threadIdx.x == 0) tma_wait_until_pending<0>();
}

__global__ void plain(float4 *out, const float4 *in, int quads) {
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    float4 v = in[i];
    v.x += 1;
    out[i] = v;
  }
}

// A transpose: a warp reads along a row, and each of its lanes stores into another one.
__global__ void columns(uint32_t *out, const uint32_t *in, uint32_t width, uint32_t height) {
  const size_t x = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  const size_t y = blockIdx.y * size_t{blockDim.y} + threadIdx.y;
  out[x * height + y] = in[y * width + x];
}

__global__ void counted(unsigned *counter, unsigned *out, int count) {
  for (int i = 0; i < count; i++)
    out[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(counter, threadIdx.x + 1);
}

int main(int count, char **arguments) {
  const char *wanted = count > 1 ? arguments[1] : "good";
  float *in, *out;
  int *table;
  CUDA_CHECK(cudaMalloc(&in, BYTES));
  CUDA_CHECK(cudaMalloc(&out, BYTES));
  CUDA_CHECK(cudaMalloc(&table, 1 << 20));
  CUDA_CHECK(cudaMemset(in, 0, BYTES));
  std::vector<int> numbers(1 << 18);
  std::iota(numbers.begin(), numbers.end(), 0);
  CUDA_CHECK(cudaMemcpy(table, numbers.data(), 1 << 20, cudaMemcpyHostToDevice));
  void *flush; // the cache holds other lines before
  CUDA_CHECK(cudaMalloc(&flush, 128 << 20));
  CUDA_CHECK(cudaMemset(flush, 0, 128 << 20));
  int which = 0;
  while (which <= FLAT_BOXES && strcmp(names[which], wanted) != 0)
    which++;
  switch (which) {
  case GOOD: run_ring<GOOD, 4, 16384, 4>(out, in, table); break;
  case FEW_STAGES: run_ring<FEW_STAGES, 2, 4096, 4>(out, in, table); break;
  case READERS_COMPUTE: run_ring<READERS_COMPUTE, 4, 8192, 4>(out, in, table); break;
  case READERS_SLEEP: run_ring<READERS_SLEEP, 4, 8192, 4>(out, in, table); break;
  case READERS_ASK: run_ring<READERS_ASK, 4, 4096, 1>(out, in, table); break;
  case LOADER_COMPUTES: run_ring<LOADER_COMPUTES, 4, 8192, 4>(out, in, table); break;
  case LOADER_SLEEPS: run_ring<LOADER_SLEEPS, 4, 8192, 4>(out, in, table); break;
  case LOADER_ASKS: run_ring<LOADER_ASKS, 4, 4096, 4>(out, in, table); break;
  case SMALL_LOADS: run_ring<SMALL_LOADS, 32, 512, 2>(out, in, table); break;
  case BANKS: run_ring<BANKS, 4, 16384, 8>(out, in, table); break;
  case ISSUE: run_ring<ISSUE, 4, 16384, 16>(out, in, table); break;
  case FLAT_BOXES: run_ring<FLAT_BOXES, 8, 4096, 4>(out, in, table, 2); break;
  default:
    if (strcmp(wanted, "one-stage") == 0)
      in_turn<1, false, -1><<<PROCESSORS, 256>>>(out, in, 0);
    else if (strcmp(wanted, "written") == 0)
      in_turn<3, true, -1><<<PROCESSORS, 512>>>(out, in, 0);
    else if (strcmp(wanted, "slow-warp") == 0)
      in_turn<4, false, 3><<<PROCESSORS, 256>>>(out, in, 600);
    else if (strcmp(wanted, "loader-works") == 0)
      in_turn<4, false, 0><<<PROCESSORS, 256>>>(out, in, 1200);
    else if (strcmp(wanted, "plain") == 0)
      plain<<<PROCESSORS * 8, 256>>>(reinterpret_cast<float4 *>(out), reinterpret_cast<float4 *>(in),
                                     BYTES / 16);
    else if (strcmp(wanted, "plain-few") == 0)
      plain<<<PROCESSORS, 64>>>(reinterpret_cast<float4 *>(out), reinterpret_cast<float4 *>(in), BYTES / 16);
    else if (strcmp(wanted, "counter") == 0)
      counted<<<PROCESSORS * 8, 32>>>(reinterpret_cast<unsigned *>(table), reinterpret_cast<unsigned *>(out),
                                      8);
    else if (strcmp(wanted, "columns") == 0)
      columns<<<dim3(1024 / 32, BYTES / 4096 / 8), dim3(32, 8)>>>(
          reinterpret_cast<uint32_t *>(out), reinterpret_cast<uint32_t *>(in), 1024, BYTES / 4096);
    else {
      fprintf(stderr, "time-advice: there is no %s\n", wanted);
      return 1;
    }
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}
