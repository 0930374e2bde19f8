// In: the copies of tma-interface.cuh. Out: the same copies, with a hint for the L2 cache. The idea: hints
// and prefetches never change a result, only when bytes are fetched and how long they stay in the cache.
#ifndef TMA_LAB_TMA_CACHE_CUH
#define TMA_LAB_TMA_CACHE_CUH

#include "tma-interface.cuh"

// ---- Cache policies ---------------------------------------------------------------------------------------

// createpolicy.fractional.L2::PRIORITY.b64 policy, 1.0;                             PTX 7.4, sm_80 (9.7.9.18)
// Any thread, once. Makes the 64-bit policy for the `_hint` functions below. evict_first: for data that is
// used once, which may be dropped early; evict_last: for data that is used again soon; evict_normal: the
// default.
__device__ static __forceinline__ uint64_t create_policy_evict_first() {
  uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

__device__ static __forceinline__ uint64_t create_policy_evict_last() {
  uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

__device__ static __forceinline__ uint64_t create_policy_evict_normal() {
  uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// ---- Copies with a hint -----------------------------------------------------------------------------------

// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint
//     [dst], [src], bytes, [bar], policy;                                       PTX 8.0, sm_90 (9.7.9.25.4.1)
// As cp_async_bulk_global_to_shared, with a policy made by one of the above.
__device__ static __forceinline__ void cp_async_bulk_global_to_shared_hint(void *smem_dest,
                                                                           const void *gmem_src,
                                                                           uint32_t bytes, uint64_t *bar,
                                                                           uint64_t policy) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
               "[%0], [%1], %2, [%3], %4;"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(__cvta_generic_to_global(gmem_src)), "r"(bytes),
                 "r"(tma_shared_address(bar)), "l"(policy)
               : "memory");
}

// cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [dst], [src], bytes, policy;
//                                                                               PTX 8.0, sm_90 (9.7.9.25.4.1)
// As cp_async_bulk_shared_to_global.
__device__ static __forceinline__ void cp_async_bulk_shared_to_global_hint(void *gmem_dest,
                                                                           const void *smem_src,
                                                                           uint32_t bytes, uint64_t policy) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;"
               :
               : "l"(__cvta_generic_to_global(gmem_dest)), "r"(tma_shared_address(smem_src)), "r"(bytes),
                 "l"(policy)
               : "memory");
}

// cp.async.bulk.tensor.Rd.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint
//     [dst], [map, {c0, ..}], [bar], policy;                                    PTX 8.0, sm_90 (9.7.9.27.1.2)
__device__ static __forceinline__ void cp_async_bulk_tensor_1d_global_to_shared_hint(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, uint64_t *bar, uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1, {%2}], [%3], %4;"
      :
      : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(tma_shared_address(bar)),
        "l"(policy)
      : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_2d_global_to_shared_hint(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, uint64_t *bar, uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1, {%2, %3}], [%4], %5;"
      :
      : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(tma_shared_address(bar)),
        "l"(policy)
      : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_3d_global_to_shared_hint(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, uint64_t *bar,
    uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1, {%2, %3, %4}], [%5], %6;"
      :
      : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2),
        "r"(tma_shared_address(bar)), "l"(policy)
      : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_4d_global_to_shared_hint(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, int32_t c3,
    uint64_t *bar, uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1, {%2, %3, %4, %5}], [%6], %7;"
      :
      : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3),
        "r"(tma_shared_address(bar)), "l"(policy)
      : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_5d_global_to_shared_hint(
    void *smem_dest, const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, int32_t c3,
    int32_t c4, uint64_t *bar, uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1, {%2, %3, %4, %5, %6}], [%7], %8;"
      :
      : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4),
        "r"(tma_shared_address(bar)), "l"(policy)
      : "memory");
}

// cp.async.bulk.tensor.Rd.global.shared::cta.tile.bulk_group.L2::cache_hint [map, {c0, ..}], [src], policy;
//                                                                               PTX 8.0, sm_90 (9.7.9.27.1.2)
__device__ static __forceinline__ void cp_async_bulk_tensor_1d_shared_to_global_hint(
    const CUtensorMap *tensor_map, int32_t c0, const void *smem_src, uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%1}], [%2], %3;"
      :
      : "l"(tensor_map), "r"(c0), "r"(tma_shared_address(smem_src)), "l"(policy)
      : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_2d_shared_to_global_hint(
    const CUtensorMap *tensor_map, int32_t c0, int32_t c1, const void *smem_src, uint64_t policy) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%1, %2}], [%3], %4;"
      :
      : "l"(tensor_map), "r"(c0), "r"(c1), "r"(tma_shared_address(smem_src)), "l"(policy)
      : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_3d_shared_to_global_hint(
    const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, const void *smem_src,
    uint64_t policy) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group.L2::cache_hint "
               "[%0, {%1, %2, %3}], [%4], %5;"
               :
               : "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(tma_shared_address(smem_src)), "l"(policy)
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_4d_shared_to_global_hint(
    const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, int32_t c3, const void *smem_src,
    uint64_t policy) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group.L2::cache_hint "
               "[%0, {%1, %2, %3, %4}], [%5], %6;"
               :
               : "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(tma_shared_address(smem_src)),
                 "l"(policy)
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_5d_shared_to_global_hint(
    const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, int32_t c3, int32_t c4,
    const void *smem_src, uint64_t policy) {
  asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group.L2::cache_hint "
               "[%0, {%1, %2, %3, %4, %5}], [%6], %7;"
               :
               : "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4),
                 "r"(tma_shared_address(smem_src)), "l"(policy)
               : "memory");
}

// ---- Prefetches into L2 -----------------------------------------------------------------------------------

// cp.async.bulk.prefetch.L2.global [src], bytes;                                PTX 8.0, sm_90 (9.7.9.25.4.3)
// One thread; there is nothing to wait for. src and bytes must be multiples of 16, and the bytes must exist.
__device__ static __forceinline__ void cp_async_bulk_prefetch(const void *gmem_src, uint32_t bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
               :
               : "l"(__cvta_generic_to_global(gmem_src)), "r"(bytes)
               : "memory");
}

// cp.async.bulk.prefetch.tensor.Rd.L2.global.tile [map, {c0, ..}];              PTX 8.0, sm_90 (9.7.9.27.1.4)
// One thread. Fetches the box that a tensor load with the same coordinates would fetch.
__device__ static __forceinline__ void cp_async_bulk_prefetch_tensor_1d(const CUtensorMap *tensor_map,
                                                                        int32_t c0) {
  asm volatile("cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%0, {%1}];"
               :
               : "l"(tensor_map), "r"(c0)
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_prefetch_tensor_2d(const CUtensorMap *tensor_map,
                                                                        int32_t c0, int32_t c1) {
  asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];"
               :
               : "l"(tensor_map), "r"(c0), "r"(c1)
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_prefetch_tensor_3d(const CUtensorMap *tensor_map,
                                                                        int32_t c0, int32_t c1, int32_t c2) {
  asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];"
               :
               : "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2)
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_prefetch_tensor_4d(const CUtensorMap *tensor_map,
                                                                        int32_t c0, int32_t c1, int32_t c2,
                                                                        int32_t c3) {
  asm volatile("cp.async.bulk.prefetch.tensor.4d.L2.global.tile [%0, {%1, %2, %3, %4}];"
               :
               : "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3)
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_prefetch_tensor_5d(const CUtensorMap *tensor_map,
                                                                        int32_t c0, int32_t c1, int32_t c2,
                                                                        int32_t c3, int32_t c4) {
  asm volatile("cp.async.bulk.prefetch.tensor.5d.L2.global.tile [%0, {%1, %2, %3, %4, %5}];"
               :
               : "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
               : "memory");
}

// prefetch.tensormap [map];                                                         PTX 8.0, sm_90 (9.7.9.15)
// One thread, early, so that the first tensor copy need not fetch the map. For maps in parameters or
// __constant__ memory.
__device__ static __forceinline__ void prefetch_tensormap(const CUtensorMap *tensor_map) {
  asm volatile("prefetch.tensormap [%0];" : : "l"(tensor_map) : "memory");
}

#endif
