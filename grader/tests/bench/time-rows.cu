// In: a Hopper GPU. Out: what pages of 2 MiB cost (a chain through many of them, stores to them and a fence),
// and GB/s of transposes, and parts of such, whose rows lie more or less far apart. Medians.
//   time-rows
#include "cuda-check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

enum { PAGE = 2 << 20, STEPS = 2048, FLUSH = 256 << 20, WIDTH = 8192, MOST_BLOCKS = 132 };

// Of the i-th stop: each in another page, and in another line of it
__device__ static inline size_t place(uint32_t i, uint32_t pages) {
  const uint32_t page = static_cast<uint32_t>(static_cast<uint64_t>(i) * 1009 % pages);
  return static_cast<size_t>(page) * PAGE + page * 37u % 16384u * 128u;
}

__global__ void lay(char *m, uint32_t pages) {
  for (uint32_t i = threadIdx.x; i < pages; i += blockDim.x)
    *reinterpret_cast<unsigned long long *>(m + place(i, pages)) = place((i + 1) % pages, pages);
}

// A thread of each block goes round, once before it is timed; cycles of a step
__global__ void chase(const char *m, uint32_t pages, float *cycles) {
  unsigned long long at = place(blockIdx.x * 7919u % pages, pages);
  for (uint32_t i = 0; i < pages; i++)
    at = __ldcg(reinterpret_cast<const unsigned long long *>(m + at));
  const long long from = clock64();
  for (uint32_t i = 0; i < STEPS; i++)
    at = __ldcg(reinterpret_cast<const unsigned long long *>(m + at));
  cycles[blockIdx.x] = static_cast<float>(clock64() - from) / STEPS + (at == 1);
}

// A warp's store to so many pages, then a fence
__global__ void put(char *m, uint32_t pages, uint32_t lanes, float *cycles) {
  const int turns = 64;
  long long all = 0;
  for (uint32_t n = 0; n < turns; n++) {
    char *to = m + place((n * lanes + threadIdx.x) % pages, pages) + 64;
    __syncwarp();
    const long long from = clock64();
    if (threadIdx.x < lanes) *reinterpret_cast<volatile uint32_t *>(to) = n;
    __threadfence();
    all += clock64() - from;
  }
  if (threadIdx.x == 0) *cycles = static_cast<float>(all) / turns;
}

struct job {
  int *out;
  const int *in;
  uint32_t height; // words of a row of out
};

__global__ void copy(job j) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  j.out[i] = j.in[i];
}

template <bool WRITES> __global__ void naive(job j) {
  const size_t x = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  const size_t y = blockIdx.y * static_cast<size_t>(blockDim.y) + threadIdx.y;
  if (WRITES)
    j.out[y * j.height + x] = j.in[x * WIDTH + y];
  else
    j.out[x * j.height + y] = j.in[y * WIDTH + x];
}

// A tile through shared memory; rows of a matrix are read, or written, or else what lies in a row
template <int SIDE, bool ROWS_IN, bool ROWS_OUT> __global__ void turn(job j) {
  __shared__ int tile[SIDE][SIDE + 1];
  const size_t x = blockIdx.x * SIDE, y = blockIdx.y * SIDE;
  const size_t flat = (blockIdx.y * static_cast<size_t>(gridDim.x) + blockIdx.x) * SIDE * SIDE;
  const uint32_t column = threadIdx.x % SIDE, rows = blockDim.x / SIDE;
  for (uint32_t k = threadIdx.x / SIDE; k < SIDE; k += rows)
    tile[k][column] = j.in[ROWS_IN ? (y + k) * WIDTH + x + column : flat + k * SIDE + column];
  __syncthreads();
  for (uint32_t k = threadIdx.x / SIDE; k < SIDE; k += rows)
    j.out[ROWS_OUT ? (x + k) * j.height + y + column : flat + k * SIDE + column] = tile[column][k];
}

static char *flush;

template <typename LAUNCH> static void timed(const char *name, uint32_t mib, LAUNCH launch) {
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 5; i++) {
    CUDA_CHECK(cudaMemsetAsync(flush, i, FLUSH));
    CUDA_CHECK(cudaEventRecord(begin));
    launch();
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaEventSynchronize(end));
    times.push_back(0);
    CUDA_CHECK(cudaEventElapsedTime(&times.back(), begin, end));
  }
  CUDA_CHECK(cudaGetLastError());
  std::sort(times.begin(), times.end());
  printf("%-32s %8.1f GB/s\n", name, 2.0 * mib * 1.048576 / times[times.size() / 2]);
}

static void say_pages(char *m, float *cycles) {
  for (const uint32_t pages : {4u, 16u, 64u, 128u, 256u, 512u, 1024u, 2048u}) {
    float said[MOST_BLOCKS];
    lay<<<1, 1024>>>(m, pages);
    for (const uint32_t blocks : {1u, 132u}) {
      chase<<<blocks, 1>>>(m, pages, cycles);
      CUDA_CHECK(cudaMemcpy(said, cycles, blocks * sizeof *said, cudaMemcpyDefault));
      std::sort(said, said + blocks);
      printf("chain of %u pages, %u processors %12.0f cycles\n", pages, blocks, said[blocks / 2]);
    }
    for (const uint32_t lanes : {1u, 32u}) {
      put<<<1, 32>>>(m, pages, lanes, cycles);
      CUDA_CHECK(cudaMemcpy(said, cycles, sizeof *said, cudaMemcpyDefault));
      printf("stores of %u lanes to %u pages, fence %8.0f cycles\n", lanes, pages, *said);
    }
  }
}

template <bool IN, bool OUT> static void say_turn(const char *name, job j, uint32_t mib) {
  for (const uint32_t threads : {128u, 256u, 512u, 1024u}) {
    printf("%4u threads, ", threads);
    timed(name, mib, [&] { turn<32, IN, OUT><<<dim3(WIDTH / 32, mib), threads>>>(j); });
  }
}

static void say_rows(job j, uint32_t pitch, uint32_t mib) {
  j.height = pitch * 32; // an array of so many MiB
  printf("rows of out %u KiB apart, %u MiB each way:\n", j.height / 256, mib);
  timed("copy, 256 threads", mib, [&] { copy<<<mib * 1024, 256>>>(j); });
  timed("copy, 1024 threads", mib, [&] { copy<<<mib * 256, 1024>>>(j); });
  timed("naive 32 8 0", mib, [&] { naive<false><<<dim3(WIDTH / 32, mib * 4), dim3(32, 8)>>>(j); });
  timed("naive 8 32 0", mib, [&] { naive<false><<<dim3(WIDTH / 8, mib), dim3(8, 32)>>>(j); });
  const uint32_t down = WIDTH * mib / pitch / 16 * 16, moved = down * pitch / WIDTH; // whole rows of blocks
  timed("naive 32 8 1", moved, [&] { naive<true><<<dim3(j.height / 32, down / 8), dim3(32, 8)>>>(j); });
  timed("naive 16 16 1", moved, [&] { naive<true><<<dim3(j.height / 16, down / 16), dim3(16, 16)>>>(j); });
  say_turn<true, true>("32 x 32, rows both ways", j, mib);
  say_turn<true, false>("32 x 32, rows read", j, mib);
  say_turn<false, true>("32 x 32, rows written", j, mib);
  say_turn<false, false>("32 x 32, no rows", j, mib);
  timed("16 x 16, 128", mib, [&] { turn<16, true, true><<<dim3(WIDTH / 16, mib * 2), 128>>>(j); });
  timed("16 x 16, 256", mib, [&] { turn<16, true, true><<<dim3(WIDTH / 16, mib * 2), 256>>>(j); });
  timed("64 x 64, 256", mib, [&] { turn<64, true, true><<<dim3(WIDTH / 64, mib / 2), 256>>>(j); });
  timed("64 x 64, 1024", mib, [&] { turn<64, true, true><<<dim3(WIDTH / 64, mib / 2), 1024>>>(j); });
}

int main() {
  const size_t all = size_t{4} << 30, half = all / 2;
  char *memory;
  float *cycles;
  CUDA_CHECK(cudaMalloc(&memory, all));
  CUDA_CHECK(cudaMalloc(&cycles, MOST_BLOCKS * sizeof *cycles));
  CUDA_CHECK(cudaMalloc(&flush, FLUSH));
  CUDA_CHECK(cudaMemset(memory, 0, all));
  say_pages(memory, cycles);
  const job j = {reinterpret_cast<int *>(memory + half), reinterpret_cast<const int *>(memory), 0};
  say_rows(j, 48, 48);
  for (const uint32_t pitch : {192u, 504u, 2016u})
    say_rows(j, pitch, 192);
  return 0;
}
