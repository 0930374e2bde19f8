// In: a Hopper GPU. Out: a line for each reading of what an instruction takes, alone and among many warps;
// of sleeps; of launches one behind another; of blocks that look back for the sums of those before them; of
// additions all over global memory.
//   time-told [PART [MIB]]: 1 instructions, 2 sleeps, 3 launches, 4 look-back, over so many MiB; 5 additions
#include "cuda-check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { STEPS = 512, MOST_WARPS = 32, SLEEPS = 200, TILE_THREADS = 128, TILE_QUADS = 6 };

// ---- 1: instructions --------------------------------------------------------------------------------------

#define STEP(name, text, ...)                                              \
  struct name {                                                            \
    static constexpr const char *says = text;                              \
    __device__ static void step(uint32_t &a, uint32_t b, uint32_t words) { \
      asm volatile(__VA_ARGS__ : "+r"(a) : "r"(b), "r"(words) : "memory"); \
    }                                                                      \
  };
STEP(logic, "xor, not, and by three", "lop3.b32 %0, %0, %1, %2, 0x2d;")
STEP(shift_right, "shr", "shr.u32 %0, %0, %1;")
STEP(funnel, "shf", "shf.l.wrap.b32 %0, %0, %1, %1;")
STEP(multiply, "mul.lo", "mul.lo.u32 %0, %0, %1;")
STEP(multiply_high, "mul.hi", "mul.hi.u32 %0, %0, %1;")
STEP(multiply_add, "mad.lo", "mad.lo.u32 %0, %0, %1, %1;")
STEP(divide, "div.u32", "div.u32 %0, %1, %0;")
STEP(remainder_of, "rem.u32", "rem.u32 %0, %1, %0;")
STEP(population, "popc", "popc.b32 %0, %0;")
STEP(leading, "clz", "clz.b32 %0, %0;")
STEP(reversed, "brev", "brev.b32 %0, %0;")
STEP(permute, "prmt", "prmt.b32 %0, %0, %1, 0x5410;")
STEP(field, "bfe", "bfe.u32 %0, %0, %1, 8;")
STEP(minimum, "min, max", "{min.u32 %0, %0, %1; max.u32 %0, %0, %2;}")
STEP(to_float, "cvt.rn.f32.u32", "cvt.rn.f32.u32 %0, %0;")
STEP(from_float, "cvt.rzi.u32.f32", "cvt.rzi.u32.f32 %0, %0;")
STEP(float_add, "add.f32", "add.f32 %0, %0, %1;")
STEP(float_multiply_add, "fma.f32", "fma.rn.f32 %0, %0, %1, %1;")
STEP(float_divide, "div.rn.f32", "div.rn.f32 %0, %1, %0;")
STEP(float_root, "sqrt.rn.f32", "sqrt.rn.f32 %0, %0;")
STEP(float_power, "ex2.approx", "ex2.approx.f32 %0, %0;")
STEP(select_by, "setp, selp", "{.reg .pred p; setp.ne.u32 p, %0, %1; selp.u32 %0, %1, %2, p;}")
STEP(votes, "setp, ballot, xor",
     "{.reg .pred p; setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1; xor.b32 %0, %0, %2;}")
STEP(match_any, "match.any", "match.any.sync.b32 %0, %0, -1;")
STEP(warp_sum, "redux.add", "redux.sync.add.u32 %0, %0, -1;")
STEP(shuffle, "shfl.bfly", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
STEP(from_shared, "ld.shared",
     "{.reg .b32 r; and.b32 r, %0, 127; mad.lo.u32 r, r, 4, %2; ld.shared.u32 %0, [r];}")
STEP(in_shared, "atom.shared.add, own words", "atom.shared.add.u32 %0, [%2], %1;")
STEP(in_shared_none, "red.shared.add, own words", "red.shared.add.u32 [%2], %1;")
STEP(one_shared, "red.shared.add of 1, own words", "red.shared.add.u32 [%2], 1;")
STEP(or_shared, "atom.shared.or, own words", "atom.shared.or.b32 %0, [%2], %0;")
STEP(cas_shared, "atom.shared.cas, own words", "atom.shared.cas.b32 %0, [%2], %1, %1;")
STEP(add_one, "add.u32", "add.u32 %0, %0, %1;")
STEP(mixed, "shr, xor, mad.lo",
     "{.reg .b32 t; shr.u32 t, %0, 15; xor.b32 %0, %0, t; mad.lo.u32 %0, %0, %1, %2;}")
STEP(wide_multiply, "mad.wide.u32, cvt",
     "{.reg .b64 x; mov.b64 x, {%1, %2}; mad.wide.u32 x, %0, %1, x; mov.b64 {_, %0}, x;}")
STEP(multiply_64, "mul.lo.u64", "{.reg .b64 x; mov.b64 x, {%0, %2}; mul.lo.u64 x, x, x; mov.b64 {_, %0}, x;}")
STEP(add_64, "add.u64, xor",
     "{.reg .b64 x, y; .reg .b32 t; mov.b64 x, {%0, %2}; mov.b64 y, {%1, %0}; add.u64 x, x, y; "
     "mov.b64 {t, %0}, x; xor.b32 %0, %0, t;}")
STEP(divide_64, "div.u64",
     "{.reg .b64 x, y; mov.b64 x, {%1, %0}; mov.b64 y, {%2, %1}; div.u64 x, x, y; cvt.u32.u64 %0, x;}")
STEP(remainder_64, "rem.u64",
     "{.reg .b64 x, y; mov.b64 x, {%1, %0}; mov.b64 y, {%2, %1}; rem.u64 x, x, y; cvt.u32.u64 %0, x;}")
#undef STEP

// spread: so many lanes share a word of shared memory.
template <typename OP> __global__ void steps(uint32_t chains, uint32_t spread, uint32_t b, long long *out) {
  extern __shared__ uint32_t words[];
  __shared__ long long ends[MOST_WARPS], begins[MOST_WARPS];
  for (uint32_t i = threadIdx.x; i < 2048; i += blockDim.x)
    words[i] = 0;
  const uint32_t mine = static_cast<uint32_t>(__cvta_generic_to_shared(words + threadIdx.x / spread));
  uint32_t x = threadIdx.x + b, y = threadIdx.x * 3 + b;
  __syncthreads();
  const long long begin = clock64();
  if (chains == 2)
    for (int i = 0; i < STEPS / 16; i++) {
#pragma unroll
      for (int k = 0; k < 8; k++) {
        OP::step(x, b, mine);
        OP::step(y, b, mine);
      }
    }
  else
    for (int i = 0; i < STEPS / 16; i++) {
#pragma unroll
      for (int k = 0; k < 16; k++)
        OP::step(x, b, mine);
    }
  if ((x ^ y) == 0x12345678) words[0] = 1;
  const long long end = clock64();
  if (threadIdx.x % 32 == 0) begins[threadIdx.x / 32] = begin, ends[threadIdx.x / 32] = end;
  __syncthreads();
  if (threadIdx.x) return;
  long long first = begin, last = 0;
  for (uint32_t i = 0; i < blockDim.x / 32; i++)
    first = min(first, begins[i]), last = max(last, ends[i]);
  *out = last - first;
}

template <typename OP>
static double cycles_of(uint32_t warps, uint32_t chains, uint32_t spread, long long *out) {
  double best = 1e9;
  for (int i = 0; i < 4; i++) {
    steps<OP><<<1, warps * 32, 8192>>>(chains, spread, 3, out);
    CUDA_CHECK(cudaDeviceSynchronize());
    best = std::min(best, static_cast<double>(*out));
  }
  return best / STEPS;
}

template <typename OP> static void read_step(long long *out, uint32_t spread = 1) {
  const double alone = cycles_of<OP>(1, 1, spread, out), many = cycles_of<OP>(MOST_WARPS, 2, spread, out);
  printf("%s", OP::says);
  if (spread > 1) printf(", %u lanes share one", spread);
  printf(": alone %.1f, of a scheduler %.2f cycles\n", alone, many / (MOST_WARPS / 4));
}

template <typename... OPS> static void read_steps(long long *out) {
  (read_step<OPS>(out), ...);
}

static void read_instructions(long long *out) {
  read_steps<logic, shift_right, funnel, multiply, multiply_high, multiply_add, divide, remainder_of,
             population, leading, reversed, permute, field, minimum, to_float, from_float, float_add,
             float_multiply_add, float_divide, float_root, float_power, select_by, votes, match_any, warp_sum,
             shuffle, from_shared>(out);
  read_steps<add_one, mixed, wide_multiply, multiply_64, add_64, divide_64, remainder_64>(out);
  for (uint32_t spread : {1u, 2u, 4u, 32u}) {
    read_step<in_shared>(out, spread);
    read_step<in_shared_none>(out, spread);
    read_step<one_shared>(out, spread);
    read_step<or_shared>(out, spread);
    read_step<cas_shared>(out, spread);
  }
}

// ---- 2: sleeps --------------------------------------------------------------------------------------------

__global__ void sleeps(uint32_t ns, float *out) {
  for (int i = 0; i < SLEEPS; i++) {
    const long long begin = clock64();
    asm volatile("nanosleep.u32 %0;" : : "r"(ns) : "memory");
    if (threadIdx.x == 0 && blockIdx.x == 0) out[i] = static_cast<float>(clock64() - begin);
  }
}

static void read_sleeps(float *out) {
  for (uint32_t blocks : {1u, 1056u})
    for (uint32_t ns : {20u, 76u, 200u, 400u, 648u, 1000u, 1245u, 2000u, 5000u}) {
      sleeps<<<blocks, 32>>>(ns, out);
      CUDA_CHECK(cudaDeviceSynchronize());
      std::sort(out, out + SLEEPS);
      float sum = 0;
      for (int i = 0; i < SLEEPS; i++)
        sum += out[i];
      printf("sleep of %u ns, %u blocks: mean %.0f, least %.0f, half %.0f, most %.0f cycles\n", ns, blocks,
             sum / SLEEPS, out[0], out[SLEEPS / 2], out[SLEEPS - 1]);
    }
}

// ---- 3: launches ------------------------------------------------------------------------------------------

__global__ void busy_for(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

// The first kernel holds the stream until the host has asked for all others.
static double launches_take(uint32_t count, uint32_t blocks, long long cycles) {
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  std::vector<float> all;
  for (int i = 0; i < 7; i++) {
    busy_for<<<1, 32>>>(2000000);
    CUDA_CHECK(cudaEventRecord(begin));
    for (uint32_t k = 0; k < count; k++)
      busy_for<<<blocks, 128>>>(cycles);
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaEventSynchronize(end));
    float ms;
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    all.push_back(1000 * ms);
  }
  std::sort(all.begin(), all.end());
  return all[3];
}

static void read_launches() {
  for (long long cycles : {0ll, 10000ll})
    for (uint32_t blocks : {1u, 132u, 1056u})
      for (uint32_t count : {0u, 1u, 2u, 4u, 16u, 64u})
        printf("%u launches of %u blocks that take %lld cycles: %.2f us\n", count, blocks, cycles,
               launches_take(count, blocks, cycles));
}

// ---- 4: look-back -----------------------------------------------------------------------------------------

struct looked {
  uint32_t took, windows, polls, life; // took, life: cycles
};
enum how { NO_LOOK, ONLY_SLEEP, LOOK, LOOK_AND_SLEEP };
static const char *const how_names[] = {"nothing", "only a sleep", "a look-back", "a sleep and a look-back"};

__device__ static uint64_t told(const uint64_t *word) {
  uint64_t v;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(word) : "memory");
  return v;
}
__device__ static void tell(uint64_t *word, uint64_t v) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(word), "l"(v) : "memory");
}

// A warp finds the sum of all tiles before its own. A word: a sum, and above it 1 (its tile's) or 2 (of all).
__device__ static uint32_t look_back(uint64_t *words, uint32_t tile, uint32_t sum, bool sleeps, looked *l) {
  const uint32_t lane = threadIdx.x;
  if (lane == 0) tell(words + tile, uint64_t{tile ? 1u : 2u} << 32 | sum);
  uint32_t before = 0;
  if (sleeps) asm volatile("nanosleep.u32 1245;" : : : "memory");
  for (int64_t at = int64_t{tile} - 1 - lane; tile; at -= 32) {
    uint64_t v;
    l->windows++;
    do {
      l->polls++;
      v = at >= 0 ? told(words + at) : uint64_t{2} << 32;
    } while (__any_sync(~0u, v >> 32 == 0));
    const uint32_t whole = __ballot_sync(~0u, v >> 32 == 2);
    const uint32_t last = whole ? __ffs(whole) - 1 : 31;
    before += __reduce_add_sync(~0u, lane <= last ? static_cast<uint32_t>(v) : 0);
    if (whole) break;
  }
  if (lane == 0 && tile) tell(words + tile, uint64_t{2} << 32 | (before + sum));
  return before;
}

__global__ void prefix_sums(how mode, const int4 *in, int4 *out, uint64_t *words, looked *all) {
  __shared__ uint32_t sums[4], before;
  const long long born = clock64();
  const uint32_t tile = blockIdx.x, lane = threadIdx.x % 32;
  const size_t first = tile * size_t{TILE_THREADS * TILE_QUADS} + threadIdx.x;
  looked l = {};
  int4 v[TILE_QUADS];
  uint32_t sum = 0;
#pragma unroll
  for (int k = 0; k < TILE_QUADS; k++)
    v[k] = in[first + k * TILE_THREADS];
#pragma unroll
  for (int k = 0; k < TILE_QUADS; k++)
    sum += v[k].x + v[k].y + v[k].z + v[k].w;
  sum = __reduce_add_sync(~0u, sum);
  if (lane == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    const long long begin = clock64();
    if (mode == ONLY_SLEEP) asm volatile("nanosleep.u32 1245;" : : : "memory");
    const uint32_t tiles = sums[0] + sums[1] + sums[2] + sums[3];
    const uint32_t got = mode >= LOOK ? look_back(words, tile, tiles, mode == LOOK_AND_SLEEP, &l) : tiles;
    if (lane == 0) before = got;
    l.took = static_cast<uint32_t>(clock64() - begin);
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < TILE_QUADS; k++)
    out[first + k * TILE_THREADS] = make_int4(v[k].x + before, v[k].y, v[k].z, v[k].w);
  l.life = static_cast<uint32_t>(clock64() - born);
  if (threadIdx.x == 0) all[tile] = l;
}

static void read_look_back(size_t bytes) {
  const uint32_t tiles = static_cast<uint32_t>(bytes / (TILE_THREADS * TILE_QUADS * 16));
  int4 *in, *out;
  uint64_t *words;
  looked *all;
  CUDA_CHECK(cudaMalloc(&in, bytes));
  CUDA_CHECK(cudaMalloc(&out, bytes));
  CUDA_CHECK(cudaMemset(in, 0, bytes));
  CUDA_CHECK(cudaMalloc(&words, tiles * sizeof *words));
  CUDA_CHECK(cudaMalloc(&all, tiles * sizeof *all));
  std::vector<looked> got(tiles);
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  for (uint32_t on_processor : {8u, 4u, 2u})
    for (int mode = NO_LOOK; mode <= LOOK_AND_SLEEP; mode++) {
      float ms = 1e9;
      const uint32_t shared = (228 << 10) / (on_processor + 1) / 128 * 128;
      CUDA_CHECK(cudaFuncSetAttribute(prefix_sums, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
      for (int i = 0; i < 4; i++) {
        float once;
        CUDA_CHECK(cudaMemset(words, 0, tiles * sizeof *words));
        CUDA_CHECK(cudaEventRecord(begin));
        prefix_sums<<<tiles, TILE_THREADS, shared>>>(static_cast<how>(mode), in, out, words, all);
        CUDA_CHECK(cudaEventRecord(end));
        CUDA_CHECK(cudaEventSynchronize(end));
        CUDA_CHECK(cudaEventElapsedTime(&once, begin, end));
        ms = std::min(ms, once);
      }
      CUDA_CHECK(cudaMemcpy(got.data(), all, tiles * sizeof *all, cudaMemcpyDeviceToHost));
      double took = 0, windows = 0, polls = 0, life = 0;
      for (uint32_t i = tiles / 4; i < tiles / 4 * 3; i++)
        took += got[i].took, windows += got[i].windows, polls += got[i].polls, life += got[i].life;
      const double count = tiles / 4 * 2;
      printf("prefix sums with %s, %u blocks on a processor: %.0f GB/s, lives %.0f, of it %.0f cycles, %.2f "
             "windows, %.2f looks\n",
             how_names[mode], on_processor, 2.0 * bytes / ms / 1e6, life / count, took / count,
             windows / count, polls / count);
    }
}

// ---- 5: additions -----------------------------------------------------------------------------------------

enum { ADDITIONS = 256, ADDING_THREADS = 1024 };

// Lanes add to words all over so many: of all blocks, or of each block (own).
__global__ void additions(uint32_t *words, uint32_t count, bool own, uint32_t lanes, bool tells) {
  uint32_t x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, sum = 0;
  uint32_t *const mine = words + (own ? blockIdx.x * size_t{count} : 0);
  if (threadIdx.x % 32 >= lanes) return;
  for (int i = 0; i < ADDITIONS; i++) {
    x = x * 1664525u + 1013904223u;
    uint32_t *const word = mine + ((x >> 8) & (count - 1));
    if (tells)
      sum += atomicAdd(word, x);
    else
      atomicAdd(word, x);
  }
  if (sum == 0x12345678) words[0] = sum;
}

static void read_additions() {
  uint32_t *words;
  CUDA_CHECK(cudaMalloc(&words, size_t{256} << 20));
  CUDA_CHECK(cudaMemset(words, 0, size_t{256} << 20));
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  for (uint32_t blocks : {1u, 16u, 264u})
    for (uint32_t count : {256u, 2048u, 65536u, 1u << 24})
      for (bool own : {false, true})
        for (uint32_t lanes : {1u, 4u, 32u})
          for (bool tells : {false, true}) {
            float ms = 1e9;
            if (own && count > 65536) continue;
            for (int i = 0; i < 3; i++) {
              float once;
              CUDA_CHECK(cudaEventRecord(begin));
              additions<<<blocks, ADDING_THREADS>>>(words, count, own, lanes, tells);
              CUDA_CHECK(cudaEventRecord(end));
              CUDA_CHECK(cudaEventSynchronize(end));
              CUDA_CHECK(cudaEventElapsedTime(&once, begin, end));
              ms = std::min(ms, once);
            }
            const double each = 1e6 * ms / ADDITIONS / (ADDING_THREADS / 32) / blocks;
            printf(
                "%u blocks, %u lanes, %u words of %s%s: %.3f ns for each instruction, %.2f of a processor\n",
                blocks, lanes, count, own ? "each block" : "all", tells ? ", told" : "", each,
                each * std::min(blocks, 132u));
          }
}

int main(int count, char **arguments) {
  const int part = count > 1 ? atoi(arguments[1]) : 0;
  const size_t mib = count > 2 ? strtoul(arguments[2], nullptr, 10) : 1008;
  long long *out;
  float *spent;
  CUDA_CHECK(cudaMallocManaged(&out, sizeof *out));
  CUDA_CHECK(cudaMallocManaged(&spent, SLEEPS * sizeof *spent));
  if (!part || part == 1) read_instructions(out);
  if (!part || part == 2) read_sleeps(spent);
  if (!part || part == 3) read_launches();
  if (!part || part == 4) read_look_back(mib << 20);
  if (!part || part == 5) read_additions();
  return 0;
}
