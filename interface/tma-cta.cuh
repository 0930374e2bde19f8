// In: the same operands as in tma-interface.cuh and tma-cluster.cuh. Out: newer forms of the same
// instructions, which say more exactly what they concern: copies into this very block, fences in one
// direction. The idea: nothing here is needed on Hopper, and all of it runs there, so newer code can be read,
// written and checked. nvcc 12.7 or newer (PTX ISA 8.6); an older one leaves these functions out.
#ifndef TMA_LAB_TMA_CTA_CUH
#define TMA_LAB_TMA_CTA_CUH

#include "tma-interface.cuh"

#if !defined(__CUDACC_VER_MAJOR__) || __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1207

// ---- Copies into this very block --------------------------------------------------------------------------

// cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [dst], [src], bytes, [bar];
//                                                                               PTX 8.6, sm_90 (9.7.9.25.4.1)
// As cp_async_bulk_global_to_shared, whose instruction could also name the shared memory of another block of
// the cluster. This one can't: dst and bar are this block's.
__device__ static __forceinline__ void cp_async_bulk_global_to_shared_cta(void *smem_dest,
                                                                          const void *gmem_src,
                                                                          uint32_t bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(__cvta_generic_to_global(gmem_src)), "r"(bytes),
                 "r"(tma_shared_address(bar))
               : "memory");
}

// cp.async.bulk.tensor.Rd.shared::cta.global.tile.mbarrier::complete_tx::bytes
//     [dst], [map, {c0, ..}], [bar];                                            PTX 8.6, sm_90 (9.7.9.27.1.2)
// As cp_async_bulk_tensor_Rd_global_to_shared, for this block alone.
__device__ static __forceinline__ void cp_async_bulk_tensor_1d_global_to_shared_cta(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2}], [%3];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(tma_shared_address(bar))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_2d_global_to_shared_cta(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3}], [%4];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1),
                 "r"(tma_shared_address(bar))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_3d_global_to_shared_cta(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4}], [%5];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2),
                 "r"(tma_shared_address(bar))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_4d_global_to_shared_cta(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, int32_t c3,
    uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4, %5}], [%6];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3),
                 "r"(tma_shared_address(bar))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_5d_global_to_shared_cta(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, int32_t c3,
    int32_t c4, uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4, %5, %6}], [%7];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3),
                 "r"(c4), "r"(tma_shared_address(bar))
               : "memory");
}

// ---- Fences in one direction ------------------------------------------------------------------------------

// fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;            PTX 8.6, sm_90 (9.7.13.4)
// The writer's half: this thread's ordinary writes to its own block's shared memory come before copies of
// another thread of the cluster, if that thread synchronises with this one and then calls
// async_proxy_fence_acquire_cluster(). The direction is from the generic to the async proxy.
__device__ static __forceinline__ void async_proxy_fence_release_cluster() {
  asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::: "memory");
}

// fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;        PTX 8.6, sm_90 (9.7.13.4)
// The other half, in the thread that issues the copies, after it has synchronised with the writers, by
// cluster_wait() for example. It concerns the shared memory of the cluster's blocks.
__device__ static __forceinline__ void async_proxy_fence_acquire_cluster() {
  asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
}

#endif

#endif
