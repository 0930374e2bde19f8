// In: a Hopper GPU. Out: a line for each reading of what a processor's parts take when many of its warps want
// them at once: releases for other blocks, meetings, arithmetic, a counter beside loads, and a lane's wait.
//   time-processor [PART]: 1 fences, 2 a fence beside others, 3 meetings, 4 arithmetic, 5 counters, 6 waits,
//   7 from block to block
#include "cuda-check.h"
#include "tma-interface.cuh"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { PROCESSORS = 132, FENCES = 64, MEETINGS = 4096, WAITS = 96, MOST_WARPS = 32, MOVERS = 16 };
static const size_t ARRAY = size_t{1} << 30;

__device__ static inline void pause_until(long long when) {
  while (clock64() < when) {
  }
}
__device__ static inline int4 load(const int4 *from) {
  int4 v;
  asm volatile("ld.global.cg.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from)
               : "memory");
  return v;
}
__device__ static inline void store(int4 *to, int x) {
  asm volatile("st.global.v4.b32 [%0], {%1, %1, %1, %1};" : : "l"(to), "r"(x) : "memory");
}
__device__ static inline void release() {
  asm volatile("fence.acq_rel.gpu;" : : : "memory");
}

// ---- 1: all warps fence -----------------------------------------------------------------------------------

enum what { NOTHING, A_WORD, A_ROW, A_LOAD };
static const char *const what_names[] = {"nothing", "a word stored", "512 bytes stored", "512 bytes loaded"};
struct spent {
  float mean, longest;
};

// Each warp does `before` and fences, again and again, `gap` cycles or so apart.
__global__ void fences(int before, uint32_t gap, int4 *data, spent *out) {
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  int4 *mine = data + (blockIdx.x * MOST_WARPS + warp) * size_t{FENCES} * 32 + lane;
  long long sum = 0, longest = 0;
  int loaded = 0;
  uint32_t random = warp * 7919 + blockIdx.x * 104729 + 1;
  __syncthreads();
  for (int i = 0; i < FENCES; i++) {
    random = random * 1664525 + 1013904223;
    if (gap) pause_until(clock64() + gap / 2 + (random >> 8) % gap);
    int4 v = {};
    if (before == A_WORD && lane == 0) store(mine + i * 32, i);
    if (before == A_ROW) store(mine + i * 32, i);
    if (before == A_LOAD) v = load(mine + i * 32);
    const long long begin = clock64();
    release();
    const long long took = clock64() - begin;
    loaded += v.x + v.y;
    sum += took;
    if (took > longest) longest = took;
  }
  __syncthreads();
  if (lane == 0)
    out[blockIdx.x * warps + warp] = {static_cast<float>(sum) / FENCES, static_cast<float>(longest)};
  if (loaded == 0x7fffffff) out[0].mean = 0;
}

static void read_fences(int4 *data, spent *out) {
  for (const uint32_t blocks : {1u, 132u})
    for (int before = NOTHING; before <= A_LOAD; before++)
      for (const uint32_t gap : {0u, 3000u})
        for (const uint32_t warps : {1u, 2u, 4u, 8u, 16u, 32u}) {
          fences<<<blocks, warps * 32>>>(before, gap, data, out);
          CUDA_CHECK(cudaDeviceSynchronize());
          float mean = 0, longest = 0;
          for (uint32_t i = 0; i < blocks * warps; i++) {
            mean += out[i].mean / static_cast<float>(blocks * warps);
            longest = std::max(longest, out[i].longest);
          }
          printf("fence behind %s, %u x %u warps, gap %u: mean %.0f longest %.0f cycles\n",
                 what_names[before], blocks, warps, gap, mean, longest);
        }
}

// ---- 2: one warp fences beside others ---------------------------------------------------------------------

enum others { STORES, LOADS, BULK_STORES, BULK_LOADS };
static const char *const others_names[] = {"stores", "loads", "bulk stores", "bulk loads"};

// Warp 0 fences, and the others move 512 bytes (one of their lanes: 2 KiB) every `period` cycles. near: of
// an array that stays in the L2 cache.
__global__ void beside(int how, uint32_t period, bool near, bool stored, int4 *data, spent *out) {
  __shared__ __align__(128) int4 tiles[MOVERS + 1][128];
  __shared__ uint64_t full[MOVERS + 1];
  __shared__ volatile bool over;
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  if (lane == 0) init_barrier(&full[warp], 1);
  if (threadIdx.x == 0) over = false;
  async_proxy_fence();
  __syncthreads();
  if (warp == 0) {
    long long sum = 0, longest = 0;
    pause_until(clock64() + 20000);
    for (int i = 0; i < FENCES; i++) {
      pause_until(clock64() + 1000 + i * 37 % 64 * 16);
      if (stored) store(data + (blockIdx.x * size_t{FENCES} + i) * 32 + lane, i);
      const long long begin = clock64();
      release();
      const long long took = clock64() - begin;
      sum += took;
      if (took > longest) longest = took;
    }
    over = true;
    if (lane == 0) out[blockIdx.x] = {static_cast<float>(sum) / FENCES, static_cast<float>(longest)};
  } else {
    const bool bulk = how >= BULK_STORES;
    const uint32_t each = bulk ? 128 : 32, worker = blockIdx.x * (warps - 1) + warp - 1;
    const size_t all = ARRAY / 16 / each, span = near ? 8 : all / (gridDim.x * (warps - 1));
    long long next = clock64() + worker * 977 % period;
    int sum = 0;
    for (uint32_t n = 0; !over && n < 100000; n++) {
      int4 *at = data + (worker * span + n % span) * each;
      pause_until(next);
      next += period;
      if (how == STORES) store(at + lane, static_cast<int>(n));
      if (how == LOADS) sum += load(at + lane).x;
      if (!bulk || lane) continue;
      if (how == BULK_STORES) {
        cp_async_bulk_shared_to_global(at, tiles[warp], 2048);
        tma_commit_group();
        tma_wait_until_read_pending<1>();
      } else {
        expect_bytes_and_arrive(&full[warp], 2048);
        cp_async_bulk_global_to_shared(tiles[warp], at, 2048, &full[warp]);
        wait(&full[warp], n & 1);
      }
    }
    if (how == BULK_STORES && lane == 0) tma_wait_until_read_pending<0>();
    if (sum == 0x7fffffff) out[0].mean = 0;
  }
}

static void read_beside(int4 *data, spent *out) {
  for (const uint32_t blocks : {1u, 132u})
    for (int how = STORES; how <= BULK_LOADS; how++)
      for (const bool near : {true, false})
        for (const uint32_t period : {800u, 1600u, 4800u})
          for (const bool stored : {false, true}) {
            const uint32_t bytes = how >= BULK_STORES ? 2048 : 512;
            beside<<<blocks, (MOVERS + 1) * 32>>>(how, period * (bytes / 512), near, stored, data, out);
            CUDA_CHECK(cudaDeviceSynchronize());
            float mean = 0, longest = 0;
            for (uint32_t i = 0; i < blocks; i++) {
              mean += out[i].mean / static_cast<float>(blocks);
              longest = std::max(longest, out[i].longest);
            }
            printf("fence %sbeside %s of 16 warps, %s, %.1f bytes a cycle, %u blocks: mean %.0f longest %.0f "
                   "cycles\n",
                   stored ? "behind 512 bytes stored, " : "", others_names[how], near ? "near" : "far",
                   512.0 * MOVERS / period, blocks, mean, longest);
          }
}

// ---- 3: meetings ------------------------------------------------------------------------------------------

// work: turns between two meetings, different for each warp
__global__ void meetings(uint32_t work, spent *out) {
  extern __shared__ char room[];
  float x = static_cast<float>(threadIdx.x);
  __syncthreads();
  const long long begin = clock64();
  for (int i = 0; i < MEETINGS; i++) {
    for (uint32_t k = 0; k < work; k++)
      x = x * 0.5f + 1.0f;
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x].mean = static_cast<float>(clock64() - begin) / MEETINGS;
  if (x == -1.0f) room[0] = 1;
}

static void read_meetings(spent *out) {
  static const struct {
    uint32_t blocks, warps;
  } shapes[] = {{1, 1},  {1, 2},  {1, 4},  {1, 8},  {1, 16}, {1, 32}, {2, 1}, {2, 4},
                {2, 16}, {2, 32}, {4, 1},  {4, 4},  {4, 8},  {4, 16}, {8, 1}, {8, 4},
                {8, 8},  {16, 1}, {16, 2}, {16, 4}, {32, 1}, {32, 2}};
  for (const uint32_t work : {0u, 32u})
    for (const auto &s : shapes) {
      const uint32_t shared = std::max(1024u, (227u << 10) / s.blocks - 1024);
      CUDA_CHECK(cudaFuncSetAttribute(meetings, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
      meetings<<<s.blocks * PROCESSORS, s.warps * 32, shared / 1024 * 1024>>>(work, out);
      CUDA_CHECK(cudaDeviceSynchronize());
      float mean = 0;
      for (uint32_t i = 0; i < s.blocks * PROCESSORS; i++)
        mean += out[i].mean / static_cast<float>(s.blocks * PROCESSORS);
      printf("meetings of %u warps, %u blocks on a processor, work %u: %.1f cycles\n", s.warps, s.blocks,
             work, mean);
    }
}

// ---- 4: arithmetic ----------------------------------------------------------------------------------------

struct lived {
  uint32_t processor;
  long long begin, end;
  unsigned long long from, to;
};
__device__ static inline unsigned long long nanoseconds() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

// kind 0: multiply-adds of floats, 1: of integers, 2: additions; four chains. moves: reads and writes a quad.
template <int KIND>
__global__ void arithmetic(uint32_t terms, int factor, bool moves, int4 *data, lived *out) {
  const long long begin = clock64();
  const unsigned long long from = nanoseconds();
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  int4 v = moves ? load(data + i) : make_int4(threadIdx.x, 1, 2, 3);
  const float one = static_cast<float>(factor);
  float x = __int_as_float(v.x), y = __int_as_float(v.y), z = __int_as_float(v.z), w = __int_as_float(v.w);
#pragma unroll 16
  for (uint32_t k = 0; k < terms; k++) {
    if (KIND == 0) x = x * one + one, y = y * one + one, z = z * one + one, w = w * one + one;
    if (KIND == 1) v = make_int4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
    if (KIND == 2)
      v = make_int4((v.x + factor) ^ v.y, (v.y + factor) ^ v.z, (v.z + factor) ^ v.w, v.w + factor);
  }
  if (KIND == 0) v = make_int4(__float_as_int(x), __float_as_int(y), __float_as_int(z), __float_as_int(w));
  if (moves || v.x == 0x12345678) data[i] = v;
  if (threadIdx.x) return;
  lived life = {0, begin, clock64(), from, nanoseconds()};
  asm volatile("mov.u32 %0, %%smid;" : "=r"(life.processor));
  out[blockIdx.x] = life;
}

template <int KIND> static void read_arithmetic(const char *name, int4 *data, lived *on_chip, lived *out) {
  for (const bool moves : {false, true})
    for (const uint32_t threads : {128u, 512u})
      for (const uint32_t terms : {32u, 64u, 128u, 256u}) {
        const uint32_t blocks = static_cast<uint32_t>(ARRAY / 16 / threads);
        arithmetic<KIND><<<blocks, threads>>>(terms, 1, moves, data, on_chip);
        CUDA_CHECK(cudaMemcpy(out, on_chip, blocks * sizeof *out, cudaMemcpyDeviceToHost));
        long long begin = INT64_MAX, end = 0;
        unsigned long long from = UINT64_MAX, to = 0;
        for (uint32_t i = 0; i < blocks; i++) {
          if (out[i].processor != 0) continue;
          begin = std::min(begin, out[i].begin), end = std::max(end, out[i].end);
          from = std::min(from, out[i].from), to = std::max(to, out[i].to);
        }
        const double each = static_cast<double>(blocks) * threads / 32 / PROCESSORS / 4;
        const double cycles = static_cast<double>(end - begin);
        printf("%s, 4 chains of %u, %u threads%s: %.3f cycles each of a scheduler, %.0f MHz\n", name, terms,
               threads, moves ? ", a quad copied" : "", cycles / each / (4 * terms),
               cycles / static_cast<double>(to - from) * 1e3);
      }
}

// ---- 5: one counter beside loads --------------------------------------------------------------------------

// A warp adds to a counter by one lane, with or without an answer, behind a load of so many bytes.
__global__ void counters(uint32_t *counter, bool answer, uint32_t loads, uint32_t turns, const int4 *in,
                         spent *out) {
  const size_t all = gridDim.x * static_cast<size_t>(blockDim.x);
  const size_t thread = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  int sum = 0;
  for (uint32_t i = 0; i < turns; i++) {
    for (uint32_t k = 0; k < loads / 512; k++)
      sum += load(in + (thread + (i * (loads / 512) + k) * all) % (ARRAY / 16)).x;
    if (loads % 512 && threadIdx.x % 32 < loads / 16) sum += load(in + thread % (ARRAY / 16)).x;
    const int add = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32) continue;
    if (answer)
      sum += static_cast<int>(atomicAdd(counter, add));
    else
      asm volatile("red.global.add.u32 [%0], %1;" : : "l"(counter), "r"(add) : "memory");
  }
  if (sum == 0x7fffffff) out[0].mean = 1;
}

static void read_counters(uint32_t *counter, const int4 *in, spent *out) {
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  for (const bool answer : {false, true})
    for (const uint32_t turns : {1u, 64u})
      for (const uint32_t loads : {0u, 32u, 128u, 256u, 512u, 1024u, 2048u}) {
        if (turns > 1 && loads && loads < 512) continue;
        const uint32_t threads = 256, blocks = turns == 1 ? 131072 : 1056;
        float ms = 0;
        for (int again = 0; again < 2; again++) {
          CUDA_CHECK(cudaEventRecord(begin));
          counters<<<blocks, threads>>>(counter, answer, loads, turns, in, out);
          CUDA_CHECK(cudaEventRecord(end));
          CUDA_CHECK(cudaEventSynchronize(end));
          CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
        }
        const double count = static_cast<double>(blocks) * threads / 32 * turns;
        printf("one counter, %s, beside %u bytes loaded, %u turns: %.3f ns each\n",
               answer ? "with an answer" : "no answer", loads, turns, ms * 1e6 / count);
      }
}

// ---- 6: when a wait sees an arrival -----------------------------------------------------------------------

// how 0: the whole warp waits; 1: a lane, while the others are at __syncthreads(); 2: at __syncwarp(). The
// last warp arrives `after` cycles later.
__global__ void waits(int how, uint32_t first, uint32_t step, float *seen) {
  __shared__ uint64_t bar;
  __shared__ volatile long long arrived;
  if (threadIdx.x == 0) init_barrier(&bar, 1);
  __syncthreads();
  for (int i = 0; i < WAITS; i++) {
    __syncthreads();
    long long saw = 0;
    if (threadIdx.x >= blockDim.x - 32) {
      const long long when = clock64() + first + i * step;
      pause_until(when);
      if (threadIdx.x == blockDim.x - 32) {
        arrived = clock64();
        arrive(&bar);
      }
    } else if (threadIdx.x < 32) {
      if (how == 0 || threadIdx.x == 0) {
        wait(&bar, i & 1);
        saw = clock64();
      }
      if (how == 2) __syncwarp();
    }
    __syncthreads();
    if (threadIdx.x == 0) seen[i] = static_cast<float>(saw - arrived);
  }
}

static void read_waits(float *seen) {
  static const char *const names[] = {"a warp", "a lane, others at __syncthreads()",
                                      "a lane, others at __syncwarp()"};
  for (int how = 0; how < 3; how++)
    for (const uint32_t warps : {2u, 8u}) {
      waits<<<1, warps * 32>>>(how, 40, 41, seen);
      CUDA_CHECK(cudaDeviceSynchronize());
      printf("%s, %u warps, arrival after 40 + 41 n cycles is seen after:", names[how], warps);
      for (int i = 0; i < WAITS; i++)
        printf(" %.0f", seen[i]);
      printf("\n");
    }
}

// ---- 7: from a block's end to the next one's begin --------------------------------------------------------

// A block stays for `life` cycles, stores 32 bytes by each thread, if it should, and ends.
__global__ void turnover(uint32_t life, bool stores, int4 *data, lived *out) {
  const long long begin = clock64();
  pause_until(begin + life);
  int4 *to = data + blockIdx.x % 16384 * size_t{2} * blockDim.x + threadIdx.x;
  if (stores) store(to, 1), store(to + blockDim.x, 1);
  if (threadIdx.x) return;
  lived lives = {0, begin, clock64(), 0, 0};
  asm volatile("mov.u32 %0, %%smid;" : "=r"(lives.processor));
  out[blockIdx.x] = lives;
}

static void read_turnover(int4 *data, lived *on_chip, lived *out) {
  static const struct {
    uint32_t threads, on_processor;
  } shapes[] = {{128, 6}, {128, 16}, {256, 2}, {1024, 1}, {1024, 2}};
  const uint32_t blocks = 65536;
  CUDA_CHECK(cudaFuncSetAttribute(turnover, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
  for (const auto &s : shapes)
    for (const uint32_t life : {0u, 1500u})
      for (const bool stores : {false, true})
        for (const uint32_t size : {0u, 1u, 2u, 4u, 8u}) {
          cudaLaunchAttribute a = {};
          a.id = cudaLaunchAttributeClusterDimension;
          a.val.clusterDim.x = size;
          a.val.clusterDim.y = a.val.clusterDim.z = 1;
          cudaLaunchConfig_t c = {};
          c.gridDim = dim3(blocks);
          c.blockDim = dim3(s.threads);
          c.dynamicSmemBytes = ((228u << 10) / (s.on_processor + 1) - 1024) / 128 * 128 + 128;
          if (s.on_processor == 1) c.dynamicSmemBytes = 200 << 10;
          c.attrs = &a;
          c.numAttrs = size > 0;
          CUDA_CHECK(cudaLaunchKernelEx(&c, turnover, life, stores, data, on_chip));
          CUDA_CHECK(cudaMemcpy(out, on_chip, blocks * sizeof *out, cudaMemcpyDeviceToHost));
          long long begin = INT64_MAX, end = 0, lives = 0, count = 0;
          for (uint32_t i = 0; i < blocks; i++) {
            if (out[i].processor != 5) continue;
            begin = std::min(begin, out[i].begin), end = std::max(end, out[i].end);
            lives += out[i].end - out[i].begin;
            count++;
          }
          const double places = static_cast<double>(end - begin) * s.on_processor;
          printf("%u threads, %u on a processor, clusters of %u, life %u%s: lives %.0f, between two %.0f, "
                 "a processor starts one in %.0f cycles\n",
                 s.threads, s.on_processor, size, life, stores ? ", stores" : "",
                 static_cast<double>(lives) / static_cast<double>(count),
                 (places - static_cast<double>(lives)) / static_cast<double>(count),
                 places / s.on_processor / static_cast<double>(count));
        }
}

int main(int count, char **arguments) {
  const int part = count > 1 ? atoi(arguments[1]) : 0;
  int4 *data;
  spent *out;
  lived *on_chip;
  std::vector<lived> lives(ARRAY / 16 / 128);
  uint32_t *counter;
  float *seen;
  CUDA_CHECK(cudaMalloc(&data, ARRAY));
  CUDA_CHECK(cudaMemset(data, 0, ARRAY));
  CUDA_CHECK(cudaMallocManaged(&out, PROCESSORS * MOST_WARPS * 2 * sizeof *out));
  CUDA_CHECK(cudaMalloc(&on_chip, lives.size() * sizeof *on_chip));
  CUDA_CHECK(cudaMalloc(&counter, sizeof *counter));
  CUDA_CHECK(cudaMallocManaged(&seen, WAITS * sizeof *seen));
  if (!part || part == 1) read_fences(data, out);
  if (!part || part == 2) read_beside(data, out);
  if (!part || part == 3) read_meetings(out);
  if (!part || part == 4) {
    read_arithmetic<0>("multiply-adds of floats", data, on_chip, lives.data());
    read_arithmetic<1>("multiplications of integers", data, on_chip, lives.data());
    read_arithmetic<2>("additions and exclusive ors", data, on_chip, lives.data());
  }
  if (!part || part == 5) read_counters(counter, data, out);
  if (!part || part == 6) read_waits(seen);
  if (!part || part == 7) read_turnover(data, on_chip, lives.data());
  return 0;
}
