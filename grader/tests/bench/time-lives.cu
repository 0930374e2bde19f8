// In: a Hopper GPU. Out: where the time of blocks goes that have one tile each: lines of medians and means in
// cycles, from stamps of each warp on four processors, and what lies between a block's end and the next one's
// begin, the stamps' own end included; and what a turn of a loop that divides takes of a scheduler.
//   time-lives [MIB]
#include "cuda-check.h"
#include "tma-interface.cuh"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { STAMPS = 4, EACH_PROCESSOR = 33, PROCESSORS = 132, FLUSH = 256 << 20, ROUNDS = 16, TURNS = 4 };
enum { BEGIN, LOADED, MET, END };
static const size_t MOST_STAMPS = size_t{96} << 20;

struct job {
  const int *in;
  int *out;
  uint32_t quads;  // of a tile
  uint32_t *when;  // [blocks][warps][STAMPS]
  uint32_t *where; // [blocks] processor plus one
};

__device__ static inline uint32_t now() {
  uint32_t t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}

// The value has come before the clock is read.
__device__ static inline uint32_t now_after(int v) {
  uint32_t t;
  asm volatile("{ .reg .pred p; .reg .u32 r; setp.eq.s32 p, %1, 0x7fffff01; selp.u32 r, 1, 0, p;"
               "  mov.u32 %0, %%clock; add.u32 %0, %0, r; }"
               : "=r"(t)
               : "r"(v)
               : "memory");
  return t;
}

template <bool STAMP> struct stamps {
  uint32_t t[STAMPS];
  __device__ void at(int i) {
    if (STAMP) t[i] = now();
  }
  __device__ void after(int i, int v) {
    if (STAMP) t[i] = now_after(v);
  }
  __device__ void leave(const job &j) {
    uint32_t processor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(processor));
    if (!STAMP || processor % EACH_PROCESSOR || threadIdx.x % 32) return;
    const uint32_t warp = threadIdx.x / 32;
    reinterpret_cast<uint4 *>(j.when)[blockIdx.x * size_t{blockDim.x / 32} + warp] =
        make_uint4(t[BEGIN], t[LOADED], t[MET], t[END]);
    if (warp == 0) j.where[blockIdx.x] = processor + 1;
  }
};

// ---- one word of each thread ------------------------------------------------------------------------------

template <bool STAMP, bool MEETS> __global__ void copy(job j) {
  stamps<STAMP> s;
  s.at(BEGIN);
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  const int v = j.in[i];
  s.after(LOADED, v);
  if (MEETS) __syncthreads();
  s.at(MET);
  j.out[i] = v;
  s.at(END);
  s.leave(j);
}

// ---- a tile of 32 x 32 words turned, of what lies in a row ------------------------------------------------

template <bool STAMP> __global__ void turn(job j) {
  __shared__ int tile[32][33];
  stamps<STAMP> s;
  s.at(BEGIN);
  const size_t first = blockIdx.x * size_t{1024};
  const uint32_t column = threadIdx.x % 32, rows = blockDim.x / 32;
  int last = 0;
  for (uint32_t k = threadIdx.x / 32; k < 32; k += rows)
    tile[k][column] = last = j.in[first + k * 32 + column];
  s.after(LOADED, last);
  __syncthreads();
  s.at(MET);
  for (uint32_t k = threadIdx.x / 32; k < 32; k += rows)
    j.out[first + k * 32 + column] = tile[column][k];
  s.at(END);
  s.leave(j);
}

// ---- a transpose without shared memory: a warp reads columns, or writes them ------------------------------

template <bool STAMP, bool READS, int ACROSS, int DOWN> __global__ void naive(job j) {
  stamps<STAMP> s;
  s.at(BEGIN);
  const uint32_t width = 8192, height = gridDim.x / (width / DOWN) * ACROSS, across = height / ACROSS;
  const uint32_t x = blockIdx.x % across * ACROSS + threadIdx.x % ACROSS;
  const uint32_t y = blockIdx.x / across * DOWN + threadIdx.x / ACROSS;
  const size_t row = y * static_cast<size_t>(height) + x, column = x * static_cast<size_t>(width) + y;
  const int v = j.in[READS ? column : row];
  s.after(LOADED, v);
  s.at(MET);
  j.out[READS ? row : column] = v;
  s.at(END);
  s.leave(j);
}

// ---- a chain of so many multiply-adds for each word -------------------------------------------------------

template <bool STAMP> __global__ void chain(job j) {
  stamps<STAMP> s;
  s.at(BEGIN);
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  const int v = j.in[i];
  s.after(LOADED, v);
  float f = static_cast<float>(v);
  for (uint32_t k = 0; k < j.quads; k++)
    f = f * 0.5f + 1;
  s.after(MET, static_cast<int>(f));
  j.out[i] = static_cast<int>(f);
  s.at(END);
  s.leave(j);
}

// ---- a tile by bulk copies: its store has been read at the end --------------------------------------------

extern __shared__ __align__(128) int4 memory[];

template <bool STAMP> __global__ void tile(job j) {
  __shared__ uint64_t full;
  stamps<STAMP> s;
  s.at(BEGIN);
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, j.quads * 16);
    cp_async_bulk_global_to_shared(
        memory, reinterpret_cast<const int4 *>(j.in) + blockIdx.x * size_t{j.quads}, j.quads * 16, &full);
  }
  __syncthreads();
  wait(&full, 0);
  s.at(LOADED);
  for (uint32_t i = threadIdx.x; i < j.quads; i += blockDim.x) {
    int4 v = memory[i];
    v.x++, v.y++, v.z++, v.w++;
    memory[i] = v;
  }
  async_proxy_fence();
  __syncthreads();
  s.at(MET);
  s.at(END);
  if (threadIdx.x == 0) {
    cp_async_bulk_shared_to_global(reinterpret_cast<int4 *>(j.out) + blockIdx.x * size_t{j.quads}, memory,
                                   j.quads * 16);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
    s.at(END);
  }
  s.leave(j);
}

// ---- what the stamps say ----------------------------------------------------------------------------------

struct mean {
  double sum = 0, count = 0;
  void add(double v) {
    sum += v;
    count++;
  }
  double get() const { return count ? sum / count : 0; }
};

struct parts { // of blocks, in cycles
  mean life, loaded, met, stored, gap, cycles;
  std::vector<double> gaps;
};

// One block: its warps' stamps from when the first one began.
static void add_block(parts *p, const uint32_t *w, uint32_t warps, uint32_t zero, std::vector<double> *begins,
                      std::vector<double> *ends) {
  double least[STAMPS], most[STAMPS];
  for (int k = 0; k < STAMPS; k++) {
    least[k] = 1e18, most[k] = 0;
    for (uint32_t i = 0; i < warps; i++) {
      const double t = w[i * STAMPS + k] - zero;
      least[k] = std::min(least[k], t), most[k] = std::max(most[k], t);
    }
  }
  p->life.add(most[END] - least[BEGIN]);
  p->loaded.add(most[LOADED] - least[BEGIN]);
  p->met.add(most[MET] - most[LOADED]);
  p->stored.add(most[END] - most[MET]);
  begins->push_back(least[BEGIN]);
  ends->push_back(most[END]);
}

// The i-th end lets the block begin that comes so many places later.
static parts read_stamps(const job &j, size_t blocks, uint32_t warps, uint32_t places) {
  std::vector<uint32_t> when(blocks * warps * STAMPS), where(blocks);
  CUDA_CHECK(cudaMemcpy(when.data(), j.when, when.size() * sizeof when[0], cudaMemcpyDefault));
  CUDA_CHECK(cudaMemcpy(where.data(), j.where, where.size() * sizeof where[0], cudaMemcpyDefault));
  parts p;
  for (uint32_t processor = 0; processor < PROCESSORS; processor += EACH_PROCESSOR) {
    std::vector<double> begins, ends;
    uint32_t zero = 0;
    for (size_t b = 0; b < blocks; b++) {
      if (where[b] != processor + 1) continue;
      if (begins.empty()) zero = when[b * warps * STAMPS] - (1u << 30);
      add_block(&p, &when[b * warps * STAMPS], warps, zero, &begins, &ends);
    }
    std::sort(begins.begin(), begins.end());
    std::sort(ends.begin(), ends.end());
    for (size_t i = begins.size() / 4; i + places < begins.size() * 3 / 4; i++) {
      p.gaps.push_back(begins[i + places] - ends[i]);
      p.gap.add(p.gaps.back());
    }
    if (!begins.empty()) p.cycles.add(ends.back() - begins.front());
  }
  std::sort(p.gaps.begin(), p.gaps.end());
  return p;
}

static char *flush;

// Milliseconds: the median of five, and of the last one, whose stamps are there.
static std::pair<float, float> timed(void (*kernel)(job), uint32_t blocks, uint32_t threads, uint32_t shared,
                                     const job &j) {
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  std::vector<float> times(5);
  for (float &t : times) {
    CUDA_CHECK(cudaMemsetAsync(flush, 1, FLUSH));
    CUDA_CHECK(cudaMemsetAsync(j.where, 0, blocks * sizeof *j.where));
    CUDA_CHECK(cudaEventRecord(begin));
    kernel<<<blocks, threads, shared>>>(j);
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaEventSynchronize(end));
    CUDA_CHECK(cudaEventElapsedTime(&t, begin, end));
  }
  CUDA_CHECK(cudaGetLastError());
  const float last = times.back();
  std::sort(times.begin(), times.end());
  return {times[2], last};
}

static void say(const char *name, void (*plain)(job), void (*stamped)(job), uint32_t blocks, uint32_t threads,
                const job &j, size_t bytes, uint32_t shared = 0) {
  if (size_t{blocks} * (threads / 32) * STAMPS * sizeof *j.when > MOST_STAMPS) return;
  int places = 0;
  CUDA_CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  CUDA_CHECK(cudaFuncSetAttribute(stamped, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&places, stamped, static_cast<int>(threads), shared));
  const double gb = 2.0 * static_cast<double>(bytes) / 1e6;
  const double alone = gb / timed(plain, blocks, threads, shared, j).first;
  const auto took = timed(stamped, blocks, threads, shared, j);
  const parts p = read_stamps(j, blocks, threads / 32, static_cast<uint32_t>(places));
  const double gap = p.gaps.empty() ? 0 : p.gaps[p.gaps.size() / 2];
  printf("%-12s %4u threads, %2d on a processor: %6.0f GB/s, stamped %6.0f, at %.0f MHz; "
         "lives %.0f: loaded %.0f, met %.0f, stored %.0f; gap %.0f, median %.0f\n",
         name, threads, places, alone, gb / took.first, p.cycles.get() / took.second / 1000, p.life.get(),
         p.loaded.get(), p.met.get(), p.stored.get(), p.gap.get(), gap);
}

// ---- loops that divide ------------------------------------------------------------------------------------

enum loop { WORDS, DIVIDES, FIVE, LOOPS };
static const char *const loop_names[] = {"words copied", "i / width", "sums of five"};

template <int LOOP> __global__ void loops(int *out, uint32_t *cycles, uint32_t width, uint32_t pitch) {
  int *box = reinterpret_cast<int *>(memory), *result = box + 8192, sum = 0;
  for (uint32_t i = threadIdx.x; i < 16384; i += blockDim.x)
    box[i] = static_cast<int>(i);
  __syncthreads();
  const uint32_t from = now();
  for (uint32_t round = 0; round < ROUNDS; round++) {
    for (uint32_t i = threadIdx.x; i < TURNS * blockDim.x; i += blockDim.x)
      if (LOOP == WORDS) {
        result[i] = box[i];
      } else if (LOOP == DIVIDES) {
        sum += static_cast<int>(i / width);
      } else {
        const int *at = box + (i / width + 1) * pitch + i % width + 4;
        result[i] = at[0] + at[-1] + at[1] + at[-static_cast<int>(pitch)] + at[pitch];
      }
    __syncthreads();
  }
  if (threadIdx.x == 0) *cycles = now() - from;
  if (sum == 0x7fffff01) *out = sum;
}

template <int LOOP> static void say_loop(int *out, uint32_t *cycles) {
  CUDA_CHECK(cudaFuncSetAttribute(loops<LOOP>, cudaFuncAttributeMaxDynamicSharedMemorySize, 80 << 10));
  printf("%s, cycles of a scheduler for a warp's turn:", loop_names[LOOP]);
  for (const uint32_t threads : {128u, 256u, 512u, 1024u}) {
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < 3; i++) {
      loops<LOOP><<<1, threads, 80 << 10>>>(out, cycles, 64, 72);
      CUDA_CHECK(cudaDeviceSynchronize());
      least = std::min(least, *cycles);
    }
    printf(" %.1f by %u threads", least / (ROUNDS * TURNS * threads / 128.0), threads);
  }
  printf("\n");
}

int main(int count, char **arguments) {
  const uint32_t mib = count > 1 ? static_cast<uint32_t>(atoi(arguments[1])) : 192;
  const size_t bytes = size_t{mib} << 20;
  job j = {};
  int *in;
  uint32_t *cycles;
  CUDA_CHECK(cudaMalloc(&in, bytes));
  CUDA_CHECK(cudaMalloc(&j.out, bytes));
  CUDA_CHECK(cudaMalloc(&flush, FLUSH));
  CUDA_CHECK(cudaMalloc(&j.when, MOST_STAMPS));
  CUDA_CHECK(cudaMalloc(&j.where, bytes / 512 * sizeof *j.where));
  CUDA_CHECK(cudaMallocManaged(&cycles, sizeof *cycles));
  CUDA_CHECK(cudaMemset(in, 0, bytes));
  j.in = in;
  say_loop<WORDS>(j.out, cycles);
  say_loop<DIVIDES>(j.out, cycles);
  say_loop<FIVE>(j.out, cycles);
  for (const uint32_t t : {128u, 256u, 512u, 1024u})
    say("copy", copy<false, false>, copy<true, false>, mib * 262144 / t, t, j, bytes);
  for (const uint32_t t : {128u, 256u, 512u, 1024u})
    say("copy, met", copy<false, true>, copy<true, true>, mib * 262144 / t, t, j, bytes);
  for (const uint32_t t : {128u, 256u, 512u, 1024u})
    say("turn", turn<false>, turn<true>, mib * 256, t, j, bytes);
  say("naive 32 8 1", naive<false, true, 32, 8>, naive<true, true, 32, 8>, mib * 1024, 256, j, bytes);
  say("naive 16 16 1", naive<false, true, 16, 16>, naive<true, true, 16, 16>, mib * 1024, 256, j, bytes);
  say("naive 32 8 0", naive<false, false, 32, 8>, naive<true, false, 32, 8>, mib * 1024, 256, j, bytes);
  say("naive 8 32 0", naive<false, false, 8, 32>, naive<true, false, 8, 32>, mib * 1024, 256, j, bytes);
  for (const uint32_t rounds : {4u, 32u, 128u})
    for (const uint32_t t : {128u, 256u}) {
      char name[32];
      snprintf(name, sizeof name, "chain of %u", rounds);
      j.quads = rounds;
      say(name, chain<false>, chain<true>, mib * 262144 / t, t, j, bytes);
    }
  static const struct {
    uint32_t bytes, threads, places;
  } tiles[] = {{2048, 128, 8},  {4096, 128, 4},  {4096, 256, 2},  {8192, 256, 1},   {8192, 256, 2},
               {8192, 128, 3},  {12288, 384, 2}, {16384, 256, 1}, {16384, 256, 2},  {16384, 64, 2},
               {32768, 512, 1}, {32768, 256, 2}, {32768, 256, 6}, {65536, 1024, 1}, {98304, 512, 2}};
  for (const auto &t : tiles) {
    char name[32];
    snprintf(name, sizeof name, "tile %u", t.bytes);
    j.quads = t.bytes / 16;
    const uint32_t shared = ((228u << 10) / (t.places + 1) - 1024) / 128 * 128 + 128;
    say(name, tile<false>, tile<true>, static_cast<uint32_t>(bytes / t.bytes), t.threads, j, bytes,
        std::max(shared, t.bytes));
  }
  return 0;
}
