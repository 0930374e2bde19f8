// In: a Hopper GPU. Out: a line for each reading: what a copy or load takes while the memory is busy with
// others. All processors but four move tiles at a given pace; the four take the time of what is asked about.
//   KIND TILE | near or far PROBE BYTES | share of the memory's rate on paper that the others take |
//   cycles: 10th, 50th, 90th percentile and mean | samples
#include "cuda-check.h"
#include "tma-interface.cuh"
#include <algorithm>
#include <cstdio>
#include <vector>

enum { STAGES = 8, MOST_SAMPLES = 400, PROBES = 4, DURATION = 900000, WARM_UP = 100000, GAP = 300 };
enum { SHARED = 144 << 10, REGION = 1 << 30, THREADS = 1024 };
enum kind { IDLE, READS, COPIES, WRITES, KINDS };
enum probe { BULK_LOAD, THREAD_LOAD, WORD_LOAD, BULK_STORE, PROBE_KINDS };
static const char *const kind_names[] = {"idle", "reads", "copies", "writes"};
static const char *const probe_names[] = {"bulk-load", "quads-load", "words-load", "bulk-store"};

struct setting {
  kind others;
  uint32_t tile, period;
  probe asked;
  uint32_t bytes;
  bool near; // to what the others ask for at that time
  uint32_t slot;
};
struct result {
  uint32_t count[PROBES];
  float cycles[PROBES][MOST_SAMPLES], written[PROBES][MOST_SAMPLES];
  unsigned long long moved, nanoseconds;
};

extern __shared__ __align__(128) char memory[];

__device__ static void pace(long long *next, uint32_t period) {
  long long now = clock64();
  while (now < *next)
    now = clock64();
  *next = now - *next > period ? now + period : *next + period;
}

__device__ static inline unsigned long long nanoseconds() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

// A tile is loaded into a stage, stored from it half a ring later, and loaded into it again after as long.
__device__ static void background(const setting &s, const char *in, char *out, result *r) {
  __shared__ uint64_t full[STAGES];
  for (int i = 0; i < STAGES; i++)
    init_barrier(&full[i], 1);
  async_proxy_fence();
  const uint32_t workers = gridDim.x, worker = blockIdx.x;
  const size_t tiles = REGION / s.slot;
  const long long begin = clock64();
  const unsigned long long started = nanoseconds();
  long long next = begin + worker * 977 % s.period;
  uint32_t n = 0;
  for (; clock64() - begin < DURATION; n++) {
    pace(&next, s.period);
    if (s.others != WRITES && n >= STAGES / 2) {
      const uint32_t m = n - STAGES / 2;
      wait(&full[m % STAGES], m / STAGES & 1);
    }
    if (s.others != READS && n >= STAGES / 2) {
      const uint32_t m = n - STAGES / 2;
      cp_async_bulk_shared_to_global(out + (worker + static_cast<size_t>(m) * workers) % tiles * s.slot,
                                     memory + m % STAGES * s.tile, s.tile);
      tma_commit_group();
      tma_wait_until_read_pending<STAGES / 2 - 1>();
    }
    if (s.others != WRITES) {
      expect_bytes_and_arrive(&full[n % STAGES], s.tile);
      cp_async_bulk_global_to_shared(memory + n % STAGES * s.tile,
                                     in + (worker + static_cast<size_t>(n) * workers) % tiles * s.slot,
                                     s.tile, &full[n % STAGES]);
    }
  }
  const unsigned long long took = nanoseconds() - started;
  for (uint32_t m = n - STAGES / 2; s.others != WRITES && m < n; m++)
    wait(&full[m % STAGES], m / STAGES & 1);
  tma_wait_until_pending<0>();
  atomicAdd(&r->moved, static_cast<unsigned long long>(n) * s.tile * (s.others == COPIES ? 2 : 1));
  if (worker == PROBES) r->nanoseconds = took;
}

__device__ static void ask(const setting &s, const char *in, char *out, result *r) {
  __shared__ uint64_t full;
  __shared__ long long began, now;
  __shared__ uint32_t taken;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    began = now = clock64();
    taken = 0;
  }
  __syncthreads();
  const size_t mine = static_cast<size_t>(REGION) + blockIdx.x * (size_t{REGION} / 4), step = 65536;
  const uint32_t lane_bytes = s.asked == WORD_LOAD ? 4 : 16;
  int sum = 0;
  for (uint32_t turn = 0; now - began < DURATION - WARM_UP && taken < MOST_SAMPLES; turn++) {
    const size_t row = static_cast<size_t>((now - began) / s.period) * gridDim.x + blockIdx.x;
    const size_t at = s.near ? row % (REGION / s.slot) * s.slot : mine + turn * step % (REGION / 4);
    __syncthreads();
    const long long begin = clock64();
    long long read = 0;
    if (s.asked == BULK_LOAD) { // all threads wait, as in most kernels
      if (threadIdx.x == 0) {
        expect_bytes_and_arrive(&full, s.bytes);
        cp_async_bulk_global_to_shared(memory, in + at, s.bytes, &full);
      }
      __syncwarp();
      wait(&full, turn & 1);
      if (threadIdx.x == 0) read = clock64();
    } else if (s.asked == BULK_STORE && threadIdx.x == 0) {
      cp_async_bulk_shared_to_global(out + at, memory, s.bytes);
      tma_commit_group();
      tma_wait_until_read_pending<0>();
      read = clock64();
      tma_wait_until_pending<0>();
    } else if (s.asked == THREAD_LOAD && threadIdx.x * lane_bytes < s.bytes) {
      sum += __ldcg(reinterpret_cast<const int4 *>(in + at) + threadIdx.x).x;
    } else if (s.asked == WORD_LOAD && threadIdx.x * lane_bytes < s.bytes) {
      sum += __ldcg(reinterpret_cast<const int *>(in + at) + threadIdx.x);
    }
    if (sum == 0x7fffffff) out[0] = 1; // waits for the load
    __syncthreads();
    if (threadIdx.x == 0) {
      const long long end = clock64(), go = end + GAP + turn * 37 % 400;
      if (begin - began > WARM_UP) {
        r->written[blockIdx.x][taken] = static_cast<float>(end - begin);
        r->cycles[blockIdx.x][taken] = static_cast<float>((read ? read : end) - begin);
        r->count[blockIdx.x] = ++taken;
      }
      while (clock64() < go) {
      }
      now = clock64();
    }
    __syncthreads();
  }
}

__global__ void loaded(setting s, const char *in, char *out, result *r) {
  if (blockIdx.x < PROBES)
    ask(s, in, out, r);
  else if (threadIdx.x == 0 && s.others != IDLE)
    background(s, in, out, r);
}

static void say(const setting &s, const char *what, std::vector<float> &v, double share) {
  if (v.empty()) return;
  std::sort(v.begin(), v.end());
  double sum = 0;
  for (const float x : v)
    sum += x;
  printf("%s %u | %s %s %u | %.3f | %.0f %.0f %.0f %.0f | %zu\n", kind_names[s.others], s.tile,
         s.near ? "near" : "far", what, s.bytes, share, v[v.size() / 10], v[v.size() / 2],
         v[v.size() * 9 / 10], sum / static_cast<double>(v.size()), v.size());
}

static double paper_rate() { // bytes in a nanosecond
  int kilohertz, bits;
  CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
  return 2e-6 * kilohertz * bits / 8;
}

static void read_one(setting s, const char *in, char *out, result *r, int processors) {
  CUDA_CHECK(cudaMemset(r, 0, sizeof *r));
  loaded<<<processors, THREADS, SHARED>>>(s, in, out, r);
  CUDA_CHECK(cudaDeviceSynchronize());
  std::vector<float> cycles, written;
  for (int p = 0; p < PROBES; p++)
    for (uint32_t i = 0; i < r->count[p]; i++) {
      cycles.push_back(r->cycles[p][i]);
      written.push_back(r->written[p][i]);
    }
  const double ns = static_cast<double>(r->nanoseconds);
  const double share = ns > 0 ? static_cast<double>(r->moved) / ns / paper_rate() : 0;
  say(s, s.asked == BULK_STORE ? "bulk-store-read" : probe_names[s.asked], cycles, share);
  if (s.asked == BULK_STORE) say(s, "bulk-store-written", written, share);
}

int main() {
  char *in, *out;
  result *r;
  int processors, kilohertz;
  CUDA_CHECK(cudaMalloc(&in, 2 * size_t{REGION}));
  CUDA_CHECK(cudaMalloc(&out, 2 * size_t{REGION}));
  CUDA_CHECK(cudaMallocManaged(&r, sizeof *r));
  CUDA_CHECK(cudaMemset(in, 0, 2 * size_t{REGION}));
  CUDA_CHECK(cudaFuncSetAttribute(loaded, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
  CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
  printf("paper %.0f GB/s, %d processors, %d kHz\n", paper_rate(), processors, kilohertz);
  const double each = paper_rate() / (processors - PROBES) / kilohertz * 1e6; // bytes in a cycle
  const struct {
    probe asked;
    uint32_t bytes;
  } asked[] = {{BULK_LOAD, 128},    {BULK_LOAD, 1024},    {BULK_LOAD, 4096},  {BULK_LOAD, 8192},
               {BULK_LOAD, 16384},  {BULK_LOAD, 32768},   {BULK_LOAD, 65536}, {THREAD_LOAD, 512},
               {THREAD_LOAD, 4096}, {THREAD_LOAD, 16384}, {WORD_LOAD, 128},   {WORD_LOAD, 1024},
               {WORD_LOAD, 4096},   {BULK_STORE, 1024},   {BULK_STORE, 4096}, {BULK_STORE, 16384},
               {BULK_STORE, 65536}};
  for (const auto &a : asked) {
    read_one({IDLE, 0, 1, a.asked, a.bytes, false, 0}, in, out, r, processors);
    for (const kind k : {READS, COPIES, WRITES})
      for (const double share : {0.15, 0.3, 0.45, 0.6, 0.7, 0.8, 0.86, 0.92, 1.3})
        for (const uint32_t tile : {1024u, 4096u, 16384u})
          for (const bool near : {true, false}) {
            const bool more = share > 0.4 && share < 0.81 && a.asked != WORD_LOAD && near;
            if ((tile != 4096 && !more) || (!near && (a.asked == WORD_LOAD || k == WRITES))) continue;
            const uint32_t period = static_cast<uint32_t>((k == COPIES ? 2.0 : 1.0) * tile / each / share);
            read_one({k, tile, period, a.asked, a.bytes, near, std::max(tile, a.bytes)}, in, out, r,
                     processors);
          }
  }
  return 0;
}
