// Kernels for time-mechanisms-test.sh, in pairs that differ by one thing that takes time on a chip.
//   time-mechanisms NAME
#include "cuda-check.h"
#include "tma-cluster.cuh"
#include "tma-interface.cuh"
#include "tma-reduce.cuh"
#include <cstdlib>
#include <cstring>

enum { QUADS = 512, BYTES = QUADS * 16, STAGES = 2, BLOCKS = 132 };

// Blocks of a cluster read the same tiles, each loads its share for all, and they give stages back to each
// other. wide: by arrivals of the cluster's scope.
__global__ void share(const int4 *memory, int rounds, bool wide, int *out) {
  __shared__ alignas(128) int4 tiles[STAGES][QUADS];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const uint32_t rank = cluster_block_rank(), blocks = cluster_block_count(), part = QUADS / blocks;
  const size_t clusters = gridDim.x / blocks;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      init_barrier(&full[s], 1);
      init_barrier(&empty[s], blocks);
    }
    async_proxy_fence();
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  auto load = [&](int n) {
    const int4 *from = memory + (blockIdx.x / blocks + n * clusters) * QUADS + rank * part;
    expect_bytes_and_arrive(&full[n % STAGES], BYTES);
    cp_async_bulk_global_to_shared_multicast(&tiles[n % STAGES][rank * part], from, part * 16,
                                             &full[n % STAGES], static_cast<uint16_t>((1u << blocks) - 1));
  };
  if (threadIdx.x == 0)
    for (int n = 0; n < STAGES; n++)
      load(n);
  int sum = 0;
  for (int n = 0; n < rounds; n++) {
    const int s = n % STAGES, parity = n / STAGES & 1;
    wait(&full[s], parity);
    for (int i = threadIdx.x; i < QUADS; i += blockDim.x)
      sum += tiles[s][i].x;
    __syncthreads();
    if (threadIdx.x == 0 && n + STAGES < rounds) {
      for (uint32_t r = 0; r < blocks; r++) {
        const uint32_t to = map_to_block(&empty[s], r);
        if (wide)
          arrive_remote(to);
        else
          asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" : : "r"(to) : "memory");
      }
      wait_cluster(&empty[s], parity);
      load(n + STAGES);
    }
  }
  cluster_arrive();
  cluster_wait();
  if (sum == 77) *out = sum;
}

static void launch_share(const int4 *memory, unsigned clusters, unsigned size, bool wide, int *out) {
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(clusters * size);
  c.blockDim = dim3(128);
  c.dynamicSmemBytes = 120 << 10; // one block on a processor
  CUDA_CHECK(cudaFuncSetAttribute(share, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10));
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeClusterDimension;
  a.val.clusterDim.x = size;
  a.val.clusterDim.y = a.val.clusterDim.z = 1;
  c.attrs = &a;
  c.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&c, share, memory, 24, wide, out));
}

// Blocks of a cluster of two hand a tile on to each other: copied across, or loaded by both. released: the
// meetings release.
__global__ void hands(const int4 *memory, int rounds, bool across, bool released, int *out) {
  __shared__ alignas(128) int4 tiles[2][QUADS];
  __shared__ uint64_t full, handed;
  const uint32_t other = cluster_block_rank() ^ 1;
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    init_barrier(&handed, 1);
    async_proxy_fence();
    fence_mbarrier_init();
  }
  cluster_arrive();
  cluster_wait();
  int sum = 0;
  for (int n = 0; n < rounds; n++) {
    const int4 *from = memory + (blockIdx.x + n * static_cast<size_t>(gridDim.x)) * QUADS;
    if (threadIdx.x == 0) {
      expect_bytes_and_arrive(&full, BYTES);
      expect_bytes_and_arrive(&handed, BYTES);
      cp_async_bulk_global_to_shared(tiles[0], from, BYTES, &full);
    }
    wait(&full, n & 1);
    if (threadIdx.x == 0 && across)
      cp_async_bulk_shared_to_remote(map_to_block(tiles[1], other), tiles[0], BYTES,
                                     map_to_block(&handed, other));
    if (threadIdx.x == 0 && !across) cp_async_bulk_global_to_shared(tiles[1], from, BYTES, &handed);
    wait(&handed, n & 1);
    sum += tiles[1][threadIdx.x].x;
    if (released)
      cluster_arrive();
    else
      cluster_arrive_relaxed();
    cluster_wait();
  }
  if (sum == 77) *out = sum;
}

static void launch_hands(const int4 *memory, bool across, bool released, int *out) {
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(BLOCKS * 4);
  c.blockDim = dim3(128);
  c.dynamicSmemBytes = 16 << 10;
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeClusterDimension;
  a.val.clusterDim.x = 2;
  a.val.clusterDim.y = a.val.clusterDim.z = 1;
  c.attrs = &a;
  c.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&c, hands, memory, 7, across, released, out));
}

// Meetings of blocks of four warps.
__global__ void meets(int rounds, int *out) {
  for (int n = 0; n < rounds; n++)
    __syncthreads();
  if (rounds < 0) *out = 1;
}

// Blocks that stay, whose threads write one word in each turn.
template <typename T> __global__ void words(T *out, uint32_t count) {
#pragma unroll 1
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    out[i] = T{};
}

// A tile for each block, by copies of `piece` bytes that the lanes of a warp start; stored, or added: to the
// tile's own sums, or all to the same ones.
__global__ void pieces(int *out, const int *in, uint32_t piece, bool adds, uint32_t sums = ~0u) {
  __shared__ alignas(128) char tile[4096];
  __shared__ uint64_t full;
  const size_t first = blockIdx.x * size_t{4096};
  if (threadIdx.x == 0) {
    init_barrier(&full, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&full, 4096);
  }
  __syncthreads();
  if (threadIdx.x < 32)
    for (uint32_t at = threadIdx.x * piece; at < 4096; at += 32 * piece)
      cp_async_bulk_global_to_shared(tile + at, reinterpret_cast<const char *>(in) + first + at, piece,
                                     &full);
  wait(&full, 0);
  async_proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    int *to = out + blockIdx.x % sums * 1024;
    if (adds)
      cp_reduce_async_bulk_shared_to_global_add(to, reinterpret_cast<const int *>(tile), 4096);
    else
      cp_async_bulk_shared_to_global(to, tile, 4096);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}

// Four words a turn; between them `stop` is asked, which is never so, or only behind them.
template <bool ASKS> __global__ void reads(int *out, const int *in, uint32_t turns, uint32_t stop) {
  const uint32_t step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (uint32_t n = 0; n < turns; n++) {
    uint32_t i = first + n * 4 * step;
#pragma unroll
    for (int k = 0; k < 4; k++, i += step) {
      sum += in[i];
      if (ASKS && i >= stop) goto end;
    }
  }
end:
  if (sum == 77) *out = sum;
}

// The same words are counted in shared memory, which holds up no load.
__global__ void counted(int *out, const int *in, uint32_t turns) {
  __shared__ uint32_t bins[256];
  const uint32_t step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (uint32_t n = 0; n < turns; n++) {
    uint32_t i = first + n * 4 * step;
#pragma unroll
    for (int k = 0; k < 4; k++, i += step)
      atomicAdd(&bins[(in[i] + threadIdx.x) & 255], 1u);
  }
  __syncthreads();
  if (bins[threadIdx.x] == 77777) *out = 1;
}

// Blocks add up their words and hand the sum on. CHAINED: each waits before it tells the next one anything;
// otherwise it tells its own part first.
template <bool CHAINED> __global__ void sums(int *out, const int *in, volatile uint64_t *told) {
  int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = 16; step; step /= 2)
    sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x == 0) {
    const uint64_t is_there = 1ull << 32, mine = static_cast<uint32_t>(sum);
    if (!CHAINED) told[blockIdx.x] = is_there | mine;
    uint64_t before = blockIdx.x ? 0 : is_there;
    while (!(before & is_there))
      before = told[blockIdx.x - 1];
    told[blockIdx.x] = is_there | static_cast<uint32_t>(before + mine);
    sum += static_cast<int>(before);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Prefix sums of blocks with 12 KiB: a word of 64 bits has a block's sum, and above it 1 (its own) or 2 (with
// all before it). looks: or else each block adds nothing.
__global__ void prefix_sums(int4 *out, const int4 *in, uint64_t *told, bool looks) {
  __shared__ int before;
  int4 v[6];
  int sum = 0;
  const size_t first = blockIdx.x * size_t{6 * 128} + threadIdx.x;
#pragma unroll
  for (int k = 0; k < 6; k++)
    v[k] = in[first + k * 128];
#pragma unroll
  for (int k = 0; k < 6; k++)
    sum += v[k].x + v[k].y + v[k].z + v[k].w;
  sum = __syncthreads_count(sum & 1);
  if (threadIdx.x == 0) {
    const uint64_t is_there = 1ull << 32, mine = static_cast<uint32_t>(sum);
    uint64_t all = 0, got = 0;
    volatile uint64_t *words = told;
    words[blockIdx.x] = (blockIdx.x ? is_there : 2 * is_there) | mine;
    for (int at = static_cast<int>(blockIdx.x) - 1; looks && at >= 0 && got < 2 * is_there; at--) {
      while (!(got = words[at]))
        ;
      all += static_cast<uint32_t>(got);
    }
    if (looks && blockIdx.x) words[blockIdx.x] = 2 * is_there | (all + mine);
    before = static_cast<int>(all);
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 6; k++)
    out[first + k * 128] = make_int4(v[k].x + before, v[k].y, v[k].z, v[k].w);
}

// Threads copy pieces of so many quads, each its own.
__global__ void own(int4 *out, const int4 *in, uint32_t quads) {
  const size_t first = (blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x) * quads;
#pragma unroll 1
  for (uint32_t i = 0; i < quads; i++)
    out[first + i] = in[first + i];
}

// Rows of so many quads from all over; rows: a power of two.
__global__ void from_all_over(int4 *out, const int4 *in, uint32_t quads, uint32_t rows) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, row = i / quads;
  const uint32_t mixed = (row * 0x9e3779b1u & (rows - 1)) ^ (row * 0x9e3779b1u & (rows - 1)) >> 9;
  out[i] = in[(mixed * 0x85ebca6bu & (rows - 1)) * static_cast<size_t>(quads) + i % quads];
}

// Blocks that stay, each with a part of the array, which begins so many quads beyond a multiple of eight.
__global__ void parts(int4 *out, const int4 *in, size_t quads, uint32_t beyond) {
  const size_t part = quads / gridDim.x / 8 * 8 - 8 + beyond, end = (blockIdx.x + 1) * part;
  for (size_t i = blockIdx.x * part + threadIdx.x; i < end; i += blockDim.x)
    out[i] = in[i];
}

// Neighbours read words `pitch` words apart: 32 rows, of which a block reads a sector each.
__global__ void down(int *out, const int *in, uint32_t pitch) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, part = i / 32 / pitch, at = i / 32 % pitch;
  out[i] = in[(part * 32 + i % 32) * static_cast<size_t>(pitch) + at];
}

// One tile for each block, which ends when it has been read from shared memory, or when it is written.
__global__ void tiles(char *out, const char *in, uint32_t bytes, bool written) {
  extern __shared__ __align__(128) char tile[];
  __shared__ uint64_t full;
  if (threadIdx.x) return;
  init_barrier(&full, 1);
  async_proxy_fence();
  expect_bytes_and_arrive(&full, bytes);
  cp_async_bulk_global_to_shared(tile, in + static_cast<size_t>(blockIdx.x) * bytes, bytes, &full);
  wait(&full, 0);
  cp_async_bulk_shared_to_global(out + static_cast<size_t>(blockIdx.x) * bytes, tile, bytes);
  tma_commit_group();
  if (written)
    tma_wait_until_pending<0>();
  else
    tma_wait_until_read_pending<0>();
}

static void launch_tiles(int *out, const int *in, bool written) {
  const uint32_t bytes = 8192, blocks = 4096, shared = 120 << 10; // one on a processor
  CUDA_CHECK(cudaFuncSetAttribute(tiles, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  tiles<<<blocks, 32, shared>>>(reinterpret_cast<char *>(out), reinterpret_cast<const char *>(in), bytes,
                                written);
}

// One word of each thread.
template <typename T> __global__ void one_each(T *out, const T *in) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

// Blocks that load, meet, and store.
__global__ void turned(int *out, const int *in) {
  __shared__ int tile[32][33];
  const uint32_t first = blockIdx.x * 1024;
  tile[threadIdx.y][threadIdx.x] = in[first + threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[first + threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// A block copies so many bytes to its neighbour's shared memory, and waits for its own, again and again.
__global__ void hand(uint32_t bytes) {
  __shared__ alignas(128) int4 tiles[2][QUADS];
  __shared__ uint64_t handed;
  const uint32_t other = cluster_block_rank() ^ 1;
  if (threadIdx.x == 0) {
    init_barrier(&handed, 1);
    async_proxy_fence();
    fence_mbarrier_init();
  }
  for (uint32_t n = 0; n < 64; n++) {
    if (threadIdx.x == 0) expect_bytes_and_arrive(&handed, bytes);
    cluster_arrive_relaxed();
    cluster_wait();
    if (threadIdx.x == 0)
      cp_async_bulk_shared_to_remote(map_to_block(tiles[1], other), tiles[0], bytes,
                                     map_to_block(&handed, other));
    wait(&handed, n & 1);
  }
  cluster_arrive();
  cluster_wait();
}

static void launch_hand(uint32_t bytes) {
  cudaLaunchAttribute a = {};
  a.id = cudaLaunchAttributeClusterDimension;
  a.val.clusterDim.x = 2;
  a.val.clusterDim.y = a.val.clusterDim.z = 1;
  cudaLaunchConfig_t c = {};
  c.gridDim = BLOCKS;
  c.blockDim = 32;
  c.attrs = &a;
  c.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&c, hand, bytes));
}

// One of them again and again: plain instructions or a special function, a match of few or many values, an
// addition in shared memory to words that lanes have to themselves or share, a sleep, a division of 32 or 64
// bits, an addition in global memory to words of each lane or warp.
enum what { LOGIC, POPULATION, MATCH, ADD, SLEEP, DIVIDE, DIVIDE_64, CHANGE };
template <what WHAT> __global__ void again(int rounds, uint32_t same, int *out) {
  __shared__ uint32_t sums[1024];
  uint32_t v = threadIdx.x / same, kept = 0;
  sums[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < rounds; i++) {
    if (WHAT == LOGIC) v = (v ^ i) & ~(v << 1);
    if (WHAT == POPULATION) v = __popc(v ^ i);
    if (WHAT == MATCH) kept ^= __match_any_sync(~0u, v);
    if (WHAT == ADD) kept ^= atomicAdd(&sums[v], i);
    if (WHAT == SLEEP) __nanosleep(same);
    if (WHAT == DIVIDE) v = 0x76543210u / (v + i);
    if (WHAT == DIVIDE_64) v = static_cast<uint32_t>(0x7654321089abcdefull / ((uint64_t{v} << 8) + i));
    if (WHAT == CHANGE) atomicAdd(out + blockIdx.x * 1024 + ((v + 7 * i) & 1023), i);
  }
  if ((kept ^ v) == 0x12345678) *out = kept;
}

// A word for each thread, by a plain load or by cp.async of 4 bytes.
template <bool ASYNC> __global__ void carried(int *out, const int *in) {
  __shared__ int kept[256];
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (!ASYNC) kept[threadIdx.x] = in[i];
  if (ASYNC)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.wait_all;"
                 :
                 : "r"(tma_shared_address(&kept[threadIdx.x])), "l"(in + i)
                 : "memory");
  out[i] = kept[threadIdx.x] + 1;
}

// One warp of each block fetches lines, and waits for each, or for the one three rounds ago.
template <bool WAITS> __global__ void fetches(const int *in) {
  __shared__ int kept[4][32];
  for (uint32_t n = 0; n < 64; n++) {
    const int *from = in + (blockIdx.x * 64 + n) * 32 + threadIdx.x;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n\tcp.async.commit_group;"
                 :
                 : "r"(tma_shared_address(&kept[n % 4][threadIdx.x])), "l"(from)
                 : "memory");
    asm volatile("cp.async.wait_group %0;" ::"n"(WAITS ? 0 : 3) : "memory");
  }
}

// Each lane a word of a line of its own, in two parts of 2 MiB: half of the lanes in each, or in turns.
__global__ void of_two_parts(int *out, const int *in, bool in_turns) {
  const uint32_t lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const uint32_t part = in_turns ? lane % 2 : lane / 16, line = (warp * 37 + lane * 113) % 16384;
  out[warp * 32 + lane] = in[part * 524288 + line * 32];
}

// A word of a table for each word, wherever that one says.
__global__ void looks_up(int *out, const int *in, uint32_t words) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __ldg(in + (((i ^ in[i]) * 0x9e3779b9u >> 3) & (words - 1)));
}

// Two words for each thread, in one store or in two, right behind one another or with a load between.
enum how { AT_ONCE, IN_TWO, APART };
template <how HOW> __global__ void two_words(int *out, const int *in) {
  const size_t i = 2 * (blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x);
  const int2 v = *reinterpret_cast<const int2 *>(in + i);
  if (HOW == AT_ONCE) *reinterpret_cast<int2 *>(out + i) = v;
  if (HOW == AT_ONCE) return;
  asm volatile("st.global.b32 [%0], %1;" ::"l"(out + i), "r"(v.x) : "memory");
  const int more = HOW == APART ? reinterpret_cast<const volatile int *>(in)[i + 1] : v.y;
  asm volatile("st.global.b32 [%0], %1;" ::"l"(out + i + 1), "r"(more) : "memory");
}

// Blocks copy 4 KiB each, and end, or let the whole chip see it before they do.
__global__ void copied(int4 *out, const int4 *in, bool released) {
  const size_t first = blockIdx.x * size_t{256} + threadIdx.x;
  const int4 v = in[first], w = in[first + 128];
  out[first] = v;
  out[first + 128] = w;
  if (released) __threadfence();
}

// Four quads in a row for each thread: all loaded, then all stored.
__global__ void four_at_once(int4 *out, const int4 *in) {
  const size_t first = 4 * (blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x);
  int4 v[4];
#pragma unroll
  for (int k = 0; k < 4; k++)
    v[k] = in[first + k];
#pragma unroll
  for (int k = 0; k < 4; k++)
    out[first + k] = v[k];
}

// A warp reads 4 KiB and adds to a word, which may be the same for all.
__global__ void reads_and_adds(int *out, const int4 *in, uint32_t apart) {
  int sum = 0;
#pragma unroll
  for (int k = 0; k < 8; k++)
    sum += in[blockIdx.x * size_t{2048} + k * 256 + threadIdx.x].x;
  sum = __reduce_add_sync(~0u, sum);
  if (threadIdx.x % 32 == 0) atomicAdd(out + (blockIdx.x * 8 + threadIdx.x / 32) * apart, sum);
}

// Twenty shuffles, one after another: of the word that was loaded, or of another one meanwhile.
template <bool BEHIND> __global__ void shuffled(int *out, const int *in) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  const int v = in[i];
  int sum = BEHIND ? v : threadIdx.x;
  for (int n = 0; n < 20; n++)
    sum += __shfl_xor_sync(~0u, sum, 1 << n % 5);
  out[i] = sum + v;
}

int main(int count, char **arguments) {
  const char *name = count > 1 ? arguments[1] : "";
  const size_t bytes = 32 << 20;
  int *in, *out;
  CUDA_CHECK(cudaMalloc(&in, 2 * bytes)); // 32 parts of 2 MiB
  CUDA_CHECK(cudaMalloc(&out, bytes));
  const int4 *quads = reinterpret_cast<const int4 *>(in);
  if (!strcmp(name, "narrow")) launch_share(quads, 66, 2, false, out);
  if (!strcmp(name, "wide")) launch_share(quads, 66, 2, true, out);
  if (!strcmp(name, "fits")) launch_share(quads, 30, 4, false, out);
  if (!strcmp(name, "too-many")) launch_share(quads, 33, 4, false, out);
  if (!strcmp(name, "loaded")) launch_hands(quads, false, false, out);
  if (!strcmp(name, "across")) launch_hands(quads, true, false, out);
  if (!strcmp(name, "released")) launch_hands(quads, true, true, out);
  if (!strcmp(name, "meets-1")) meets<<<BLOCKS, 128>>>(2000, out);
  if (!strcmp(name, "meets-16")) meets<<<BLOCKS * 16, 128>>>(2000, out);
  if (!strcmp(name, "whole")) pieces<<<4096, 32>>>(out, in, 4096, false);
  if (!strcmp(name, "small")) pieces<<<4096, 32>>>(out, in, 128, false);
  if (!strcmp(name, "adds")) pieces<<<4096, 32>>>(out, in, 4096, true);
  if (!strcmp(name, "adds-to-one")) pieces<<<4096, 32>>>(out, in, 4096, true, 1);
  if (!strcmp(name, "words-16")) words<<<BLOCKS * 8, 256>>>(reinterpret_cast<int4 *>(out), bytes / 16);
  if (!strcmp(name, "words-4")) words<<<BLOCKS * 8, 256>>>(out, bytes / 4);
  if (!strcmp(name, "together")) reads<false><<<BLOCKS * 4, 256>>>(out, in, 12, 0);
  if (!strcmp(name, "asks")) reads<true><<<BLOCKS * 4, 256>>>(out, in, 12, ~0u);
  if (!strcmp(name, "counted")) counted<<<BLOCKS * 4, 256>>>(out, in, 12);
  int4 *to = reinterpret_cast<int4 *>(out);
  const uint32_t all = bytes / 16;
  if (!strcmp(name, "own-16")) own<<<all / 256, 256>>>(to, quads, 1);
  if (!strcmp(name, "own-128")) own<<<all / 8 / 256, 256>>>(to, quads, 8);
  if (!strcmp(name, "rows-1024")) from_all_over<<<all / 256, 256>>>(to, quads, 64, all / 64);
  if (!strcmp(name, "rows-64")) from_all_over<<<all / 256, 256>>>(to, quads, 4, all / 4);
  if (!strcmp(name, "even-parts")) parts<<<BLOCKS * 4, 512>>>(to, quads, all, 8);
  if (!strcmp(name, "uneven-parts")) parts<<<BLOCKS * 4, 512>>>(to, quads, all, 1);
  if (!strcmp(name, "for-two")) launch_share(quads, 15, 2, false, out);
  if (!strcmp(name, "for-eight")) launch_share(quads, 15, 8, false, out);
  const uint32_t words = bytes / 4;
  if (!strcmp(name, "down-near")) down<<<words / 256, 256>>>(out, in, 8192);
  if (!strcmp(name, "down-far")) down<<<words / 256, 256>>>(out, in, 2 * words / 32);
  if (!strcmp(name, "words")) one_each<<<words / 512, 512>>>(out, in);
  if (!strcmp(name, "shuffles-meanwhile")) shuffled<false><<<words / 256, 256>>>(out, in);
  if (!strcmp(name, "shuffles-behind")) shuffled<true><<<words / 256, 256>>>(out, in);
  if (!strcmp(name, "shorts"))
    one_each<<<words / 256, 512>>>(reinterpret_cast<short *>(out), reinterpret_cast<const short *>(in));
  if (!strcmp(name, "ends-read")) launch_tiles(out, in, false);
  if (!strcmp(name, "ends-written")) launch_tiles(out, in, true);
  if (!strcmp(name, "turned")) turned<<<words / 1024, dim3(32, 32)>>>(out, in);
  if (!strcmp(name, "turned-half")) turned<<<words / 2048, dim3(32, 32)>>>(out, in);
  if (!strcmp(name, "four-at-once")) four_at_once<<<all / 1024, 256>>>(to, quads);
  if (!strcmp(name, "four-in-turns")) own<<<all / 1024, 256>>>(to, quads, 4);
  if (!strcmp(name, "adds-apart")) reads_and_adds<<<2 * all / 2048, 256>>>(out, quads, 8);
  if (!strcmp(name, "adds-together")) reads_and_adds<<<2 * all / 2048, 256>>>(out, quads, 0);
  if (!strcmp(name, "logic")) again<LOGIC><<<BLOCKS, 512>>>(4096, 1, out);
  if (!strcmp(name, "logic-of-16")) again<LOGIC><<<BLOCKS * 16, 32>>>(4096, 1, out);
  if (!strcmp(name, "population")) again<POPULATION><<<BLOCKS, 512>>>(4096, 1, out);
  if (!strcmp(name, "match-2")) again<MATCH><<<BLOCKS, 512>>>(512, 16, out);
  if (!strcmp(name, "match-32")) again<MATCH><<<BLOCKS, 512>>>(512, 1, out);
  if (!strcmp(name, "add-own")) again<ADD><<<BLOCKS, 1024>>>(512, 1, out);
  if (!strcmp(name, "add-shared")) again<ADD><<<BLOCKS, 1024>>>(512, 8, out);
  if (!strcmp(name, "sleep-600")) again<SLEEP><<<BLOCKS, 32>>>(256, 600, out);
  if (!strcmp(name, "sleep-1000")) again<SLEEP><<<BLOCKS, 32>>>(256, 1000, out);
  if (!strcmp(name, "sleep-1100")) again<SLEEP><<<BLOCKS, 32>>>(256, 1100, out);
  if (!strcmp(name, "divide-32")) again<DIVIDE><<<BLOCKS, 1024>>>(512, 1, out);
  if (!strcmp(name, "divide-64")) again<DIVIDE_64><<<BLOCKS, 1024>>>(512, 1, out);
  if (!strcmp(name, "change-1")) again<CHANGE><<<BLOCKS, 1024>>>(512, 32, out);
  if (!strcmp(name, "change-32")) again<CHANGE><<<BLOCKS, 1024>>>(512, 1, out);
  if (!strcmp(name, "carried")) carried<false><<<words / 256, 256>>>(out, in);
  if (!strcmp(name, "carried-async")) carried<true><<<words / 256, 256>>>(out, in);
  if (!strcmp(name, "fetches-ahead")) fetches<false><<<BLOCKS, 32>>>(in);
  if (!strcmp(name, "fetches")) fetches<true><<<BLOCKS, 32>>>(in);
  if (!strcmp(name, "parts-apart")) of_two_parts<<<words / 256, 256>>>(out, in, false);
  if (!strcmp(name, "parts-in-turns")) of_two_parts<<<words / 256, 256>>>(out, in, true);
  if (!strcmp(name, "copied")) copied<<<all / 256, 128, 46 << 10>>>(to, quads, false);
  if (!strcmp(name, "copied-released")) copied<<<all / 256, 128, 46 << 10>>>(to, quads, true);
  if (!strcmp(name, "looks-up-near")) looks_up<<<words / 256, 256>>>(out, in, 16384);
  if (!strcmp(name, "looks-up-far")) looks_up<<<words / 256, 256>>>(out, in, 1048576);
  if (!strcmp(name, "stored-at-once")) two_words<AT_ONCE><<<words / 512, 256>>>(out, in);
  if (!strcmp(name, "stored-in-two")) two_words<IN_TWO><<<words / 512, 256>>>(out, in);
  if (!strcmp(name, "stored-apart")) two_words<APART><<<words / 512, 256>>>(out, in);
  if (!strcmp(name, "hand-64")) launch_hand(64);
  if (!strcmp(name, "hand-8192")) launch_hand(8192);
  volatile uint64_t *told = reinterpret_cast<uint64_t *>(out + bytes / 8);
  CUDA_CHECK(cudaMemset(out, 0, bytes));
  if (!strcmp(name, "told")) sums<false><<<4096, 32>>>(out, in, told);
  if (!strcmp(name, "chained")) sums<true><<<4096, 32>>>(out, in, told);
  const uint32_t shared = (228 << 10) / 5 / 128 * 128; // four on a processor
  for (const char *looks : {"looks-back", "looks-not"})
    if (!strcmp(name, looks))
      prefix_sums<<<1320, 128, shared>>>(to, quads, reinterpret_cast<uint64_t *>(out + bytes / 8),
                                         looks[6] == 'b');
  CUDA_CHECK(cudaDeviceSynchronize());
}
