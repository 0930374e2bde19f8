// In: a Hopper GPU. Out: one line `NAME VALUE UNIT` for each constant of the time model that can be read
// directly: clock, latencies, launch, the copy engine's pace, block starts, barriers, atomics. Medians.
#include "cuda-check.h"
#include "tensor-map.h"
#include "tma-interface.cuh"
#include <algorithm>
#include <cstdio>
#include <vector>

enum { SAMPLES = 129, REPEATS = 512, BUFFER = 512 << 20, MOST_BYTES = 96 << 10 };

static float median(std::vector<float> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}
static void say(const char *name, double value, const char *unit) {
  printf("%-34s %12.3f %s\n", name, value, unit);
}
__device__ static inline uint64_t timer() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

__global__ void clock_rate(uint64_t *result) {
  const uint64_t t = timer();
  const long long c = clock64();
  while (clock64() - c < 20000000) {
  }
  result[0] = static_cast<uint64_t>(clock64() - c);
  result[1] = timer() - t;
}

__global__ void chase(const uint32_t *next, uint32_t steps, float *cycles) {
  uint32_t at = 0;
  const long long begin = clock64();
  for (uint32_t i = 0; i < steps; i++)
    at = next[at];
  *cycles =
      static_cast<float>(clock64() - begin) / static_cast<float>(steps) + static_cast<float>(at == 77777777);
}
// Every 4 KiB + 64 bytes, in an order that prefetching can't guess.
__global__ void make_chain(uint32_t *next, uint32_t nodes, uint32_t gap) {
  for (uint32_t i = threadIdx.x; i < nodes; i += blockDim.x)
    next[(static_cast<uint64_t>(i) * 517 % nodes) * gap] =
        ((static_cast<uint64_t>(i) + 1) * 517 % nodes) * gap;
}

// One copy at a time. `far`: bytes between the sources, so 0 reads from the L2 cache.
__global__ void load_latency(const char *from, uint32_t bytes, size_t far, float *cycles) {
  extern __shared__ __align__(128) char memory[];
  __shared__ uint64_t full;
  init_barrier(&full, 1);
  async_proxy_fence();
  for (int i = 0; i < SAMPLES; i++) {
    const long long begin = clock64();
    expect_bytes_and_arrive(&full, bytes);
    cp_async_bulk_global_to_shared(memory, from + i * far, bytes, &full);
    wait(&full, i & 1);
    cycles[i] = static_cast<float>(clock64() - begin);
  }
}
__global__ void store_latency(char *to, uint32_t bytes, size_t far, float *read, float *written) {
  extern __shared__ __align__(128) char memory[];
  for (int i = 0; i < SAMPLES; i++) {
    const long long begin = clock64();
    cp_async_bulk_shared_to_global(to + i * far, memory, bytes);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
    read[i] = static_cast<float>(clock64() - begin);
    tma_wait_until_pending<0>();
    written[i] = static_cast<float>(clock64() - begin);
  }
}

// Many copies in flight from a small place, so from the L2 cache: cycles for one copy.
__global__ void load_pace(const char *from, uint32_t bytes, uint32_t span, float *cycles) {
  extern __shared__ __align__(128) char memory[];
  __shared__ uint64_t full;
  init_barrier(&full, 1);
  async_proxy_fence();
  for (int round = 0; round < 3; round++) {
    const long long begin = clock64();
    for (int i = 0; i < REPEATS; i++) {
      expect_bytes(&full, bytes);
      cp_async_bulk_global_to_shared(memory, from + static_cast<uint64_t>(i) * bytes % span, bytes, &full);
      if (i % 8 == 7) {
        arrive(&full);
        wait(&full, round * (REPEATS / 8) + i / 8 & 1);
      }
    }
    *cycles = static_cast<float>(clock64() - begin) / REPEATS;
  }
}
__global__ void box_pace(const __grid_constant__ CUtensorMap map, uint32_t bytes, float *cycles) {
  extern __shared__ __align__(128) char memory[];
  __shared__ uint64_t full;
  init_barrier(&full, 1);
  async_proxy_fence();
  for (int round = 0; round < 3; round++) {
    const long long begin = clock64();
    for (int i = 0; i < REPEATS; i++) {
      expect_bytes(&full, bytes);
      cp_async_bulk_tensor_2d_global_to_shared(memory + i % 4 * bytes, &map, 0, 0, &full);
      if (i % 8 == 7) {
        arrive(&full);
        wait(&full, round * (REPEATS / 8) + i / 8 & 1);
      }
    }
    *cycles = static_cast<float>(clock64() - begin) / REPEATS;
  }
}
__global__ void store_pace(char *to, uint32_t bytes, uint32_t span, float *cycles) {
  extern __shared__ __align__(128) char memory[];
  const long long begin = clock64();
  for (int i = 0; i < REPEATS; i++) {
    cp_async_bulk_shared_to_global(to + static_cast<uint64_t>(i) * bytes % span, memory, bytes);
    tma_commit_group();
    tma_wait_until_read_pending<4>();
  }
  tma_wait_until_pending<0>();
  *cycles = static_cast<float>(clock64() - begin) / REPEATS;
}

__global__ void barrier_pace(float *cycles) {
  const long long begin = clock64();
  for (int i = 0; i < REPEATS; i++)
    __syncthreads();
  if (threadIdx.x == 0) *cycles = static_cast<float>(clock64() - begin) / REPEATS;
}
__global__ void fence_pace(float *cycles) {
  const long long begin = clock64();
  for (int i = 0; i < REPEATS; i++)
    async_proxy_fence();
  if (threadIdx.x == 0) *cycles = static_cast<float>(clock64() - begin) / REPEATS;
}
// Two warps answer each other by two barriers: cycles of one way.
__global__ void ping_pong(float *cycles) {
  __shared__ uint64_t bar[2];
  if (threadIdx.x == 0) init_barrier(&bar[0], 1), init_barrier(&bar[1], 1);
  __syncthreads();
  const long long begin = clock64();
  const bool first = threadIdx.x < 32;
  if (threadIdx.x % 32 == 0)
    for (int i = 0; i < REPEATS; i++) {
      if (first) arrive(&bar[0]);
      wait(&bar[first ? 1 : 0], i & 1);
      if (!first) arrive(&bar[1]);
    }
  if (threadIdx.x == 0) *cycles = static_cast<float>(clock64() - begin) / (2 * REPEATS);
}
__global__ void shared_pace(float *cycles, uint32_t step) {
  __shared__ int4 words[1024];
  words[threadIdx.x] = make_int4(1, 2, 3, 4);
  __syncthreads();
  int sum = 0;
  const volatile int *at = reinterpret_cast<int *>(words);
  const long long begin = clock64();
  for (int i = 0; i < REPEATS; i++)
    sum += at[(threadIdx.x * step + i * 32) & 4095];
  *cycles = static_cast<float>(clock64() - begin) / REPEATS + static_cast<float>(sum == 12345);
}
__global__ void one_counter(uint32_t *counter, uint32_t times) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < times; i++)
    sum += atomicAdd(counter, 1u);
  if (sum == 77) *counter = 0;
}
// Lane 0 of each warp draws, and adds by what it has got.
__global__ void warps_draw(uint32_t *counter, uint32_t times) {
  uint32_t got = 0;
  for (uint32_t i = 0; i < times; i++) {
    if (threadIdx.x % 32 == 0) got = atomicAdd(counter, 1 + (got & 1));
    got = __shfl_sync(~0u, got, 0);
  }
  if (got == 0xffffffff) *counter = 0;
}
__global__ void nothing(uint32_t *p) {
  if (p && threadIdx.x == 5000) *p = 1;
}
__global__ void read_tiles(const int4 *in, size_t tiles, int *out) { // 6 x 16 KiB in flight
  extern __shared__ __align__(128) char memory[];
  __shared__ uint64_t full[6];
  if (threadIdx.x) return;
  for (int s = 0; s < 6; s++)
    init_barrier(&full[s], 1);
  async_proxy_fence();
  size_t next = blockIdx.x;
  for (size_t n = 0; next < tiles || n < 6; n++, next += gridDim.x) {
    const int s = n % 6;
    if (n >= 6) wait(&full[s], (n / 6 - 1) & 1);
    expect_bytes_and_arrive(&full[s], 16384);
    cp_async_bulk_global_to_shared(memory + s * 16384, in + next % tiles * 1024, 16384, &full[s]);
  }
  for (int s = 0; s < 6; s++)
    (void)try_wait(&full[s], 0);
  __nanosleep(20000);
  if (out && threadIdx.x == 999) *out = 1;
}

template <typename LAUNCH> static float microseconds(LAUNCH launch, int rounds) {
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < rounds; i++) {
    float ms;
    CUDA_CHECK(cudaEventRecord(begin));
    launch();
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaEventSynchronize(end));
    CUDA_CHECK(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(1000 * ms);
  }
  CUDA_CHECK(cudaGetLastError());
  return median(times);
}

struct memory {
  char *data;
  float *cycles; // host and device see it
  uint64_t *pair;
};
template <typename KERNEL> static void allow(KERNEL kernel) {
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST_BYTES));
}
static float first_cycles(const memory &m) {
  CUDA_CHECK(cudaDeviceSynchronize());
  return m.cycles[0];
}
static float median_cycles(const float *cycles) {
  CUDA_CHECK(cudaDeviceSynchronize());
  return median(std::vector<float>(cycles, cycles + SAMPLES));
}
static void flush(const memory &m) {
  CUDA_CHECK(cudaMemset(m.data + BUFFER, 0, 128 << 20));
}

static void read_chases(const memory &m) {
  struct {
    const char *name;
    uint32_t nodes, gap;
  } const chains[] = {{"chase dram", 65000, 2048 - 16}, {"chase l2", 3001, 1024 + 16}, {"chase l1", 301, 32}};
  for (const auto &c : chains) {
    make_chain<<<1, 1024>>>(reinterpret_cast<uint32_t *>(m.data), c.nodes, c.gap);
    flush(m);
    for (int i = 0; i < (c.nodes > 10000 ? 1 : 3); i++)
      chase<<<1, 1>>>(reinterpret_cast<uint32_t *>(m.data), c.nodes > 10000 ? 4096 : 2 * c.nodes, m.cycles);
    say(c.name, first_cycles(m), "cycles");
  }
}
static void read_copies(const memory &m) {
  char name[64];
  allow(load_latency);
  allow(store_latency);
  allow(load_pace);
  allow(store_pace);
  for (const uint32_t bytes : {16u, 1024u, 4096u, 16384u, 65536u}) {
    flush(m);
    load_latency<<<1, 1, MOST_BYTES>>>(m.data, bytes, 3 << 20, m.cycles);
    snprintf(name, sizeof name, "bulk load dram %u", bytes);
    say(name, median_cycles(m.cycles), "cycles");
    load_latency<<<1, 1, MOST_BYTES>>>(m.data, bytes, 0, m.cycles);
    snprintf(name, sizeof name, "bulk load l2 %u", bytes);
    say(name, median_cycles(m.cycles), "cycles");
    store_latency<<<1, 1, MOST_BYTES>>>(m.data, bytes, 3 << 20, m.cycles, m.cycles + SAMPLES);
    snprintf(name, sizeof name, "bulk store read %u", bytes);
    say(name, median_cycles(m.cycles), "cycles");
    snprintf(name, sizeof name, "bulk store written %u", bytes);
    say(name, median_cycles(m.cycles + SAMPLES), "cycles");
    load_pace<<<1, 1, MOST_BYTES>>>(m.data, bytes, 8 << 20, m.cycles);
    snprintf(name, sizeof name, "bulk load pace %u", bytes);
    say(name, first_cycles(m), "cycles");
    store_pace<<<1, 1, MOST_BYTES>>>(m.data, bytes, 8 << 20, m.cycles);
    snprintf(name, sizeof name, "bulk store pace %u", bytes);
    say(name, first_cycles(m), "cycles");
  }
}
static void read_boxes(const memory &m) {
  allow(box_pace);
  for (const uint32_t width : {4u, 8u, 16u, 32u, 64u, 128u, 256u}) {
    tensor_map_options o = {};
    o.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
    o.rank = 2;
    o.global_address = m.data;
    o.global_dim[0] = 8192;
    o.global_dim[1] = 4096;
    o.global_strides[0] = 32768;
    o.box_dim[0] = width;
    o.box_dim[1] = std::min(256u, 4096 / width);
    CUtensorMap map;
    CUDA_CHECK(tensor_map_encode(&map, &o));
    char name[64];
    box_pace<<<1, 1, MOST_BYTES>>>(map, 4 * width * o.box_dim[1], m.cycles);
    snprintf(name, sizeof name, "box pace %u x %u", width, o.box_dim[1]);
    say(name, first_cycles(m), "cycles");
  }
}
static void read_blocks(const memory &m) {
  char name[64];
  uint32_t *none = nullptr, *counter = reinterpret_cast<uint32_t *>(m.data);
  for (const int threads : {32, 128, 256, 1024}) {
    barrier_pace<<<1, threads>>>(m.cycles);
    snprintf(name, sizeof name, "syncthreads %d", threads);
    say(name, first_cycles(m), "cycles");
    const float few = microseconds([&] { nothing<<<132, threads>>>(none); }, 31);
    const float many = microseconds([&] { nothing<<<264132, threads>>>(none); }, 11);
    snprintf(name, sizeof name, "empty block of %d on a processor", threads);
    say(name, (many - few) * 1000 / 2001, "ns");
    snprintf(name, sizeof name, "empty launch of 132 x %d", threads);
    say(name, few, "us");
  }
  const float shared = microseconds([&] { nothing<<<264132, 128, 32768>>>(none); }, 11);
  say("empty block of 128, 32 KiB shared", shared * 1000 / 2001, "ns");
  fence_pace<<<1, 128>>>(m.cycles);
  say("proxy fence 128", first_cycles(m), "cycles");
  ping_pong<<<1, 64>>>(m.cycles);
  say("mbarrier one way", first_cycles(m), "cycles");
  for (const uint32_t step : {1u, 2u, 8u, 32u}) {
    shared_pace<<<1, 1024>>>(m.cycles, step);
    snprintf(name, sizeof name, "shared words, step %u, 32 warps", step);
    say(name, first_cycles(m), "cycles");
  }
  say("one counter, 1056 x 1000", microseconds([&] { one_counter<<<1056, 1>>>(counter, 1000); }, 5), "us");
  const float drawn = microseconds([&] { warps_draw<<<132, 256>>>(counter, 400); }, 5);
  say("one counter, 1056 warps x 400", drawn, "us");
  say("one counter, 1 x 1000", microseconds([&] { one_counter<<<1, 1>>>(counter, 1000); }, 5), "us");
}
static void read_shares(const memory &m) {
  allow(read_tiles);
  const size_t tiles = BUFFER / 16384;
  for (const int blocks : {1, 2, 4, 8, 16, 33, 66, 99, 132}) {
    const size_t some = std::min(tiles, static_cast<size_t>(blocks) * 1000);
    flush(m);
    char name[64];
    const float us = microseconds(
        [&] { read_tiles<<<blocks, 32, MOST_BYTES>>>(reinterpret_cast<int4 *>(m.data), some, nullptr); }, 5);
    snprintf(name, sizeof name, "read by %d processors", blocks);
    say(name, static_cast<double>(some) * 16384 / (us - 22) / 1e3, "GB/s");
  }
}

// What the driver says of the chip.
static void read_attributes() {
  int processors, kilohertz, bits, bytes;
  CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
  CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
  say("processors", processors, "SMs");
  say("memory", 2e-6 * kilohertz * bits / 8, "GB/s");
  say("l2 cache", bytes / 1048576.0, "MiB");
}

int main() {
  memory m;
  CUDA_CHECK(cudaMalloc(&m.data, BUFFER + (128u << 20)));
  CUDA_CHECK(cudaMallocManaged(&m.cycles, 4 * SAMPLES * sizeof *m.cycles));
  CUDA_CHECK(cudaMallocManaged(&m.pair, 2 * sizeof *m.pair));
  CUDA_CHECK(cudaMemset(m.data, 0, BUFFER));
  clock_rate<<<1, 1>>>(m.pair);
  CUDA_CHECK(cudaDeviceSynchronize());
  say("clock", 1e3 * static_cast<double>(m.pair[0]) / static_cast<double>(m.pair[1]), "MHz");
  read_attributes();
  read_chases(m);
  read_copies(m);
  read_boxes(m);
  read_blocks(m);
  read_shares(m);
  return 0;
}
