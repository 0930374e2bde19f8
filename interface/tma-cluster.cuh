// In: addresses in this block, ranks of other blocks of the cluster. Out: cluster barriers, remote addresses,
// and copies to the shared memory of another block or of several blocks. The idea: every barrier counts the
// bytes of its own block.
#ifndef TMA_LAB_TMA_CLUSTER_CUH
#define TMA_LAB_TMA_CLUSTER_CUH

#include "tma-interface.cuh"

// ---- Ranks and addresses ----------------------------------------------------------------------------------

// mov.u32 rank, %cluster_ctarank;                                                      PTX 7.8, sm_90 (10.16)
// This block's number within its cluster, from 0: the number that mapa and multicast masks use.
__device__ static __forceinline__ uint32_t cluster_block_rank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// mov.u32 count, %cluster_nctarank;                                                    PTX 7.8, sm_90 (10.17)
// The number of blocks in this cluster; 1 if the kernel was launched without clusters.
__device__ static __forceinline__ uint32_t cluster_block_count() {
  uint32_t count;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
  return count;
}

// mapa.shared::cluster.u32 remote, local, rank;                                     PTX 7.8, sm_90 (9.7.9.23)
// The address in the shared memory of block `rank` that corresponds to `local` in this block. It is no
// pointer, only an argument for the functions below. The other block must be running, and must not exit while
// the address is used.
__device__ static __forceinline__ uint32_t map_to_block(const void *local, uint32_t rank) {
  uint32_t remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(remote)
               : "r"(tma_shared_address(local)), "r"(rank));
  return remote;
}

// ---- The cluster's barrier --------------------------------------------------------------------------------

// barrier.cluster.arrive.release.aligned;                                           PTX 8.0, sm_90 (9.7.13.3)
// Every thread of every block of the cluster, whole warps at a time. Earlier writes are visible after
// cluster_wait().
__device__ static __forceinline__ void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

// barrier.cluster.arrive.relaxed.aligned;                                           PTX 8.0, sm_90 (9.7.13.3)
// The same, but it makes no writes visible: for use after fence_mbarrier_init().
__device__ static __forceinline__ void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

// barrier.cluster.wait.acquire.aligned;                                             PTX 8.0, sm_90 (9.7.13.3)
// Every thread, once after each arrive. A block must not exit while others write to its shared memory, so
// arrive and wait once more at the end.
__device__ static __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// ---- Barriers of other blocks -----------------------------------------------------------------------------

// mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote_bar], count;   PTX 8.0, sm_90 (9.7.13.15.13)
// One thread. As arrive(), on a barrier of another block; remote_bar comes from map_to_block. To see what
// this thread has written, the other block's threads need wait_cluster().
__device__ static __forceinline__ void arrive_remote(uint32_t remote_bar, uint32_t count = 1) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;"
               :
               : "r"(remote_bar), "r"(count)
               : "memory");
}

// mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [bar], parity;    PTX 8.0, sm_90 (9.7.13.15.16)
// As try_wait, but it also makes visible what threads of other blocks have written before they arrived.
__device__ static __forceinline__ bool try_wait_cluster(uint64_t *bar, uint32_t parity) {
  uint32_t complete;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
               "p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(complete)
               : "r"(tma_shared_address(bar)), "r"(parity)
               : "memory");
  return complete != 0;
}

// Repeats try_wait_cluster until it is true.
__device__ static __forceinline__ void wait_cluster(uint64_t *bar, uint32_t parity) {
  while (!try_wait_cluster(bar, parity)) {
  }
}

// ---- Copies to other blocks -------------------------------------------------------------------------------

// cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes
//     [remote_dst], [src], bytes, [remote_bar];                                 PTX 8.0, sm_90 (9.7.9.25.4.1)
// One thread, after async_proxy_fence() for what was written to src. remote_dst and remote_bar come from
// map_to_block and belong to the same other block, which announces the bytes and waits. src, remote_dst and
// bytes must be multiples of 16. src must not change until the other block has signalled that the copy has
// landed.
__device__ static __forceinline__ void cp_async_bulk_shared_to_remote(uint32_t remote_dest,
                                                                      const void *smem_src, uint32_t bytes,
                                                                      uint32_t remote_bar) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :
               : "r"(remote_dest), "r"(tma_shared_address(smem_src)), "r"(bytes), "r"(remote_bar)
               : "memory");
}

// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster
//     [dst], [src], bytes, [bar], mask;                                         PTX 8.0, sm_90 (9.7.9.25.4.1)
// One thread of one block. Bit i of block_mask sends the bytes to block i of the cluster, at the same offset
// as dst in this block, and credits them to the barrier at the same offset as bar in this block. So every
// block in the mask announces the bytes itself.
__device__ static __forceinline__ void cp_async_bulk_global_to_shared_multicast(void *smem_dest,
                                                                                const void *gmem_src,
                                                                                uint32_t bytes, uint64_t *bar,
                                                                                uint16_t block_mask) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1], %2, [%3], %4;"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(__cvta_generic_to_global(gmem_src)), "r"(bytes),
                 "r"(tma_shared_address(bar)), "h"(block_mask)
               : "memory");
}

// cp.async.bulk.tensor.Rd.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
//     [dst], [map, {c0, ..}], [bar], mask;                                      PTX 8.0, sm_90 (9.7.9.27.1.2)
// The same for a box of a tensor. For both, the PTX ISA advises sm_90a: code for sm_90 may be much slower.
__device__ static __forceinline__ void cp_async_bulk_tensor_1d_global_to_shared_multicast(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, uint64_t *bar, uint16_t block_mask) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2}], [%3], %4;"
      :
      : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(tma_shared_address(bar)),
        "h"(block_mask)
      : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_2d_global_to_shared_multicast(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, uint64_t *bar,
    uint16_t block_mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3}], [%4], %5;"
      :
      : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(tma_shared_address(bar)),
        "h"(block_mask)
      : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_3d_global_to_shared_multicast(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, uint64_t *bar,
    uint16_t block_mask) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3, %4}], [%5], %6;"
      :
      : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2),
        "r"(tma_shared_address(bar)), "h"(block_mask)
      : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_4d_global_to_shared_multicast(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, int32_t c3,
    uint64_t *bar, uint16_t block_mask) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3, %4, %5}], [%6], %7;"
      :
      : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3),
        "r"(tma_shared_address(bar)), "h"(block_mask)
      : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_5d_global_to_shared_multicast(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, int32_t c3,
    int32_t c4, uint64_t *bar, uint16_t block_mask) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3, %4, %5, %6}], [%7], %8;"
      :
      : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4),
        "r"(tma_shared_address(bar)), "h"(block_mask)
      : "memory");
}

#endif
