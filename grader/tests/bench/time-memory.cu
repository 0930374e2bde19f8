// In: a Hopper GPU. Out: one line `NAME VALUE UNIT` for each reading of what the memory and the caches make
// of the order in which threads ask: pieces of their own, shifted stores, rows from all over, tiles. Medians.
//   time-memory [MIB [ROUNDS]]
#include "cuda-check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum order { LINE, SHIFT, ROWS, EVERY, TILES, PARTS };
enum { PITCH = 2048, TILE_ROWS = 32 }; // quads of a line of tiles: 32 KiB; rows of a tile

// Where a quad lies. p: quads that all are shifted by, of a row, of a period of which 4 are asked for, of a
// tile's row, or of a part that a block has for itself.
struct map {
  order how;
  uint32_t p;
  size_t window; // rows are mixed within so many quads, a power of two
};
struct job {
  int4 *out;
  const int4 *in;
  size_t quads;
  uint32_t each; // quads of a thread, one after the other; own: they are neighbours
  bool own, together;
  map from, to;
};

__device__ static inline size_t mixed(size_t i, size_t count) {
  uint32_t v = static_cast<uint32_t>(i), mask = static_cast<uint32_t>(count - 1);
  v = v * 0x9e3779b1u & mask;
  v ^= v >> 9;
  v = v * 0x85ebca6bu & mask;
  v ^= v >> 7;
  return v * 0xc2b2ae35u & mask;
}

// p and window are powers of two; counts of quads fit into 32 bits.
__device__ static inline uint32_t log2_of(uint32_t p) {
  return 31 - __clz(p);
}

__device__ static inline size_t place(const map &m, size_t at_once, const job &j) {
  const uint32_t i = static_cast<uint32_t>(at_once);
  if (m.how == SHIFT) return i + m.p < j.quads ? i + m.p : i;
  if (m.how == LINE || m.how == PARTS) return i;
  const uint32_t p = log2_of(m.p), in = i & (m.p - 1);
  if (m.how == ROWS) {
    const uint32_t window = static_cast<uint32_t>(m.window) - 1;
    return (i & ~window) + (mixed((i & window) >> p, m.window >> p) << p) + in;
  }
  if (m.how == EVERY) return ((i >> 2) << p) + (i & 3);
  const uint32_t tile = i >> p >> 5, row = i >> p & (TILE_ROWS - 1), across = log2_of(PITCH) - p;
  return ((tile >> across) * TILE_ROWS + row) * static_cast<size_t>(PITCH) +
         ((tile & ((1u << across) - 1)) << p) + in;
}

template <bool READS, bool WRITES> __global__ void move(job j) {
  const size_t block = blockIdx.x * static_cast<size_t>(blockDim.x) * j.each;
  int4 sum = make_int4(1, 2, 3, 4);
#pragma unroll 1
  for (uint32_t n = 0; n < j.each; n++) {
    const size_t i = block + (j.own ? threadIdx.x * j.each + n : n * blockDim.x + threadIdx.x);
    const int4 v = READS ? j.in[place(j.from, i, j)] : sum;
    if (WRITES)
      j.out[place(j.to, i, j)] = make_int4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
    else
      sum.x += v.x ^ v.y ^ v.z ^ v.w;
    if (j.together) __syncthreads();
  }
  if (!WRITES && sum.x == 0x7fffffff) j.out[0].x = 1;
}

// Four at once: for reads whose latency is not to count.
__global__ void read_four(job j) {
  const size_t first = blockIdx.x * static_cast<size_t>(blockDim.x) * 4 + threadIdx.x;
  int4 v[4];
#pragma unroll
  for (int n = 0; n < 4; n++)
    v[n] = j.in[place(j.from, first + n * blockDim.x, j)];
  if ((v[0].x ^ v[1].y ^ v[2].z ^ v[3].w) == 0x7fffffff) j.out[0].x = 1;
}

// Blocks that stay, each with a part of from.p quads, or (0) with every so many'th of blockDim.x quads.
__global__ void stay(job j) {
  const size_t part = j.from.p ? j.from.p : blockDim.x, step = j.from.p ? blockDim.x : blockDim.x * gridDim.x;
  const size_t first = blockIdx.x * part, end = j.from.p ? min(first + part, j.quads) : j.quads;
  for (size_t i = first + threadIdx.x; i < end; i += step) {
    const int4 v = j.in[i];
    j.out[i] = make_int4(v.x + 1, v.y + 1, v.z + 1, v.w + 1);
    if (j.together) __syncthreads();
  }
}

// ---- times ------------------------------------------------------------------------------------------------

static size_t all_quads;
static int rounds = 5;
static int4 *in_array, *out_array;

static float time_of(void (*kernel)(job), const job &j, uint32_t blocks, uint32_t threads, uint32_t shared) {
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
  std::vector<float> times;
  for (int i = 0; i < rounds; i++) {
    CUDA_CHECK(cudaEventRecord(begin));
    kernel<<<blocks, threads, shared>>>(j);
    CUDA_CHECK(cudaEventRecord(end));
    CUDA_CHECK(cudaEventSynchronize(end));
    times.push_back(0);
    CUDA_CHECK(cudaEventElapsedTime(&times.back(), begin, end));
  }
  CUDA_CHECK(cudaEventDestroy(begin));
  CUDA_CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

static job whole() {
  job j = {};
  j.out = out_array;
  j.in = in_array;
  j.quads = all_quads;
  j.each = 1;
  return j;
}

enum what { READ, WRITE, COPY };
static const char *const names[] = {"read", "write", "copy"};

static void say(what w, const char *name, uint32_t p, const job &j, uint32_t threads, uint32_t blocks_there) {
  void (*const kernels[])(job) = {move<true, false>, move<false, true>, move<true, true>};
  const bool four = w == READ && j.each == 1 && !j.own;
  const size_t used = (j.from.how == EVERY ? j.quads * 4 / j.from.p : j.quads);
  const uint32_t blocks = static_cast<uint32_t>(used / (four ? 4 : j.each) / threads);
  const uint32_t shared = blocks_there ? (228u << 10) / (blocks_there + 1) : 0;
  const float ms = time_of(four ? read_four : kernels[w], j, blocks, threads, shared);
  const double bytes = static_cast<double>(used) * 16 * (w == COPY ? 2 : 1);
  printf("%s %s %u, %u threads, %u blocks %28.1f GB/s\n", names[w], name, p, threads, blocks_there,
         bytes / ms / 1e6);
  fflush(stdout);
}

static void say_own() {
  for (const what w : {READ, WRITE, COPY})
    for (const uint32_t bytes : {16u, 32u, 64u, 128u, 256u, 1024u})
      for (const uint32_t there : {0u, 3u, 1u}) {
        if (there && bytes < 64) continue;
        job j = whole();
        j.each = bytes / 16;
        j.own = true;
        say(w, "own", bytes, j, 256, there);
      }
}

static void say_shifted() {
  for (const uint32_t quads : {0u, 1u, 2u, 4u}) {
    job to = whole(), from = whole(), both = whole();
    to.to = both.to = from.from = both.from = map{SHIFT, quads, 0};
    say(READ, "shifted", quads, from, 256, 0);
    say(WRITE, "shifted", quads, to, 256, 0);
    say(COPY, "from shifted", quads, from, 256, 0);
    say(COPY, "to shifted", quads, to, 256, 0);
    say(COPY, "both shifted", quads, both, 256, 0);
  }
}

static void say_rows() {
  for (const uint32_t quads : {2u, 4u, 8u, 16u, 32u, 64u, 256u}) {
    job from = whole(), to = whole();
    from.from = to.to = map{ROWS, quads, all_quads};
    say(READ, "rows", quads * 16, from, 256, 0);
    say(WRITE, "rows", quads * 16, to, 256, 0);
    say(COPY, "from rows", quads * 16, from, 256, 0);
    say(COPY, "to rows", quads * 16, to, 256, 0);
  }
  for (const uint32_t mib : {4u, 16u, 64u, 256u}) {
    job from = whole(), to = whole();
    from.from = to.to = map{ROWS, 4, mib * 65536ul};
    say(READ, "rows of 64 within MiB", mib, from, 256, 0);
    say(WRITE, "rows of 64 within MiB", mib, to, 256, 0);
  }
  for (const uint32_t period : {8u, 16u, 32u, 64u, 256u}) {
    job j = whole();
    j.from = map{EVERY, period, 0};
    say(READ, "64 of each", period * 16, j, 256, 0);
  }
}

static void say_tiles() {
  for (const uint32_t quads : {4u, 8u, 16u, 32u, 128u}) {
    job from = whole(), to = whole(), both = whole();
    from.from = to.to = both.from = both.to = map{TILES, quads, 0};
    say(READ, "tiles", quads * 16, from, 256, 0);
    say(WRITE, "tiles", quads * 16, to, 256, 0);
    say(COPY, "from tiles", quads * 16, from, 256, 0);
    say(COPY, "to tiles", quads * 16, to, 256, 0);
    say(COPY, "tiles", quads * 16, both, 256, 0);
  }
}

static void say_stay(const char *name, uint32_t p, size_t part, uint32_t blocks, bool together) {
  job j = whole();
  if (part) j.quads = std::min(part * blocks, j.quads);
  j.from = map{PARTS, static_cast<uint32_t>(part), 0};
  j.together = together;
  const float ms = time_of(stay, j, blocks, 256, (228u << 10) / (blocks / 132 + 1));
  printf("stay %s %u, %u blocks%s %28.1f GB/s\n", name, p, blocks, together ? ", together" : "",
         static_cast<double>(j.quads) * 32 / ms / 1e6);
}

static void say_parts() {
  for (const uint32_t blocks : {132u, 264u, 792u})
    for (const bool together : {false, true}) {
      say_stay("a grid apart", 0, 0, blocks, together);
      for (const uint32_t odd : {0u, 1u, 4u})
        say_stay("beyond 128 bytes by quads", odd, all_quads / blocks / 8 * 8 + odd, blocks, together);
    }
}

int main(int count, char **arguments) {
  const size_t mib = count > 1 ? strtoul(arguments[1], nullptr, 10) : 1024;
  if (count > 2) rounds = atoi(arguments[2]);
  all_quads = mib << 16;
  CUDA_CHECK(cudaMalloc(&in_array, mib << 20));
  CUDA_CHECK(cudaMalloc(&out_array, mib << 20));
  CUDA_CHECK(cudaMemset(in_array, 0, mib << 20));
  say_own();
  say_shifted();
  say_rows();
  say_tiles();
  say_parts();
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}
