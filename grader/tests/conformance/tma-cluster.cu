// Within a cluster: multicast of bulk and tensor copies, copies and reductions into another block, st.async,
// red.async, remote arrivals.
#include "conformance.cuh"

static __device__ uint32_t rank_of_block() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
static __device__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
static __device__ uint32_t in_block(const void *pointer, uint32_t rank) {
  uint32_t address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(shared_address(pointer)), "r"(rank));
  return address;
}
static __device__ void expect_and_arrive(uint64_t *bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(shared_address(bar)), "r"(bytes)
               : "memory");
}

enum { TILE_WORDS = 128 };

// Each block loads its quarter for all four; blocks in `mask` only.
static __global__ void __cluster_dims__(4)
    multicast(const uint32_t *in, uint32_t *out, const __grid_constant__ CUtensorMap map, bool tensor) {
  __shared__ alignas(1024) uint32_t tile[4][TILE_WORDS];
  __shared__ uint64_t bar;
  uint32_t rank = rank_of_block();
  if (threadIdx.x == 0) barrier_init(&bar, 1);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  for (uint32_t i = threadIdx.x; i < 4 * TILE_WORDS; i += blockDim.x)
    (&tile[0][0])[i] = poison;
  fence_async();
  cluster_sync();
  const uint16_t masks[4] = {0xf, 0x5, 0x2, 0x9};
  if (threadIdx.x == 0) {
    uint32_t parts = 0;
    for (int i = 0; i < 4; i++)
      parts += masks[i] >> rank & 1;
    expect_and_arrive(&bar, parts * TILE_WORDS * 4);
    if (tensor)
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                   ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
                   :
                   : "r"(shared_address(tile[rank])), "l"(&map), "r"(rank * 4), "r"(2),
                     "r"(shared_address(&bar)), "h"(masks[rank])
                   : "memory");
    else
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                   "[%0], [%1], %2, [%3], %4;"
                   :
                   : "r"(shared_address(tile[rank])), "l"(in + rank * TILE_WORDS), "r"(TILE_WORDS * 4),
                     "r"(shared_address(&bar)), "h"(masks[rank])
                   : "memory");
  }
  barrier_wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < 4 * TILE_WORDS; i += blockDim.x)
    out[blockIdx.x * 4 * TILE_WORDS + i] = (&tile[0][0])[i];
  cluster_sync();
}

// Every block sends to its right neighbour, in turn by copy, reduction, st.async, red.async.
static __global__ void __cluster_dims__(4) neighbours(uint32_t *out, int how) {
  __shared__ alignas(128) uint32_t mine[TILE_WORDS], theirs[TILE_WORDS];
  __shared__ uint64_t bar;
  uint32_t rank = rank_of_block(), right = (rank + 1) % 4;
  if (threadIdx.x == 0) barrier_init(&bar, 1);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += blockDim.x)
    mine[i] = rank * 1000 + i, theirs[i] = 7;
  fence_async();
  cluster_sync();
  uint32_t to = in_block(theirs, right), signal = in_block(&bar, right);
  if (threadIdx.x == 0) {
    expect_and_arrive(&bar, how < 2 ? 512 : how == 2 ? 32 * 16 : 32 * 4);
    if (how == 0)
      asm volatile(
          "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
          :
          : "r"(to), "r"(shared_address(mine)), "r"(512), "r"(signal)
          : "memory");
    if (how == 1)
      asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
                   "[%0], [%1], %2, [%3];"
                   :
                   : "r"(to), "r"(shared_address(mine)), "r"(512), "r"(signal)
                   : "memory");
  }
  if (how == 2 && threadIdx.x < 32)
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];"
        :
        : "r"(to + threadIdx.x * 16), "r"(threadIdx.x), "r"(rank), "r"(threadIdx.x * 3), "r"(0x1234),
          "r"(signal)
        : "memory");
  if (how == 3 && threadIdx.x < 32)
    asm volatile(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];"
        :
        : "r"(to + threadIdx.x / 8 * 4), "r"(threadIdx.x + rank), "r"(signal)
        : "memory");
  if (how == 4 && threadIdx.x < 32)
    asm volatile(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%0], %1, [%2];"
        :
        : "r"(to + threadIdx.x / 8 * 4), "r"(static_cast<int>(threadIdx.x) - 12), "r"(signal)
        : "memory");
  barrier_wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < TILE_WORDS; i += blockDim.x)
    out[blockIdx.x * TILE_WORDS + i] = theirs[i];
  cluster_sync();
}

// All threads of all blocks arrive on the barrier of block 0, with counts and with bytes; block 0 waits.
static __global__ void __cluster_dims__(2) remote_arrivals(uint32_t *out) {
  __shared__ uint64_t bar;
  __shared__ uint32_t seen[64];
  uint32_t rank = rank_of_block(), n = 0;
  if (rank == 0 && threadIdx.x == 0) barrier_init(&bar, 2 * 32 + 32);
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  cluster_sync();
  for (uint32_t phase = 0; phase < 5; phase++) {
    uint32_t remote = in_block(&bar, 0);
    if (rank == 1) {
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], 2;"
                   :
                   : "r"(remote)
                   : "memory");
      if (threadIdx.x == 3)
        asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 64;"
                     :
                     : "r"(remote)
                     : "memory");
    } else {
      if (threadIdx.x == 7)
        asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], 64;"
                     :
                     : "r"(remote)
                     : "memory");
      else
        asm volatile("mbarrier.arrive.release.cluster.shared::cta.b64 _, [%0];"
                     :
                     : "r"(shared_address(&bar))
                     : "memory");
      while (!barrier_try(&bar, phase & 1))
        continue;
      if (threadIdx.x == 0) seen[n++] = phase + 100;
    }
    cluster_sync();
  }
  if (rank == 0 && threadIdx.x == 0)
    for (uint32_t i = 0; i < n; i++)
      out[i] = seen[i];
}

int main() {
  device_bytes in(1 << 16), out(1 << 16);
  std::vector<uint8_t> source = numbered(1 << 16, 4), shown(1 << 16);
  MUST(cudaMemcpy(in.at, source.data(), source.size(), cudaMemcpyHostToDevice));
  tensor_case c = {"map", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, 2, {24, 40}, {}, {4, 32}};
  complete(c);
  alignas(64) CUtensorMap map;
  if (encode(c, in.at, &map) != CUDA_SUCCESS) return 1;
  uint32_t *words = reinterpret_cast<uint32_t *>(out.at);
  for (int tensor = 0; tensor < 2; tensor++) {
    MUST(cudaMemset(words, 0, 1 << 16));
    multicast<<<8, 128>>>(reinterpret_cast<uint32_t *>(in.at), words, map, tensor);
    MUST(cudaMemcpy(shown.data(), words, 8 * 2048, cudaMemcpyDeviceToHost));
    show(tensor ? "tensor multicast" : "bulk multicast", shown.data(), 8 * 2048, 24);
  }
  for (int how = 0; how < 5; how++) {
    MUST(cudaMemset(words, 0, 1 << 16));
    neighbours<<<8, 128>>>(words, how);
    MUST(cudaMemcpy(shown.data(), words, 8 * 512, cudaMemcpyDeviceToHost));
    const char *const names[] = {"copy", "add", "st.async", "red.async.add", "red.async.max"};
    show(names[how], shown.data(), 8 * 512, 24);
  }
  MUST(cudaMemset(words, 0, 1 << 16));
  remote_arrivals<<<2, 32>>>(words);
  MUST(cudaMemcpy(shown.data(), words, 64, cudaMemcpyDeviceToHost));
  show("remote arrivals", shown.data(), 64);
}
