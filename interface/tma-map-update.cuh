// In: tensor maps that a kernel or a copy from the host has changed in memory. Out: fences that make the copy
// engine see the new map. The idea: maps are read through a proxy of their own (tensormap), and nothing else
// refreshes its caches.
#ifndef TMA_LAB_TMA_MAP_UPDATE_CUH
#define TMA_LAB_TMA_MAP_UPDATE_CUH

#include "tma-interface.cuh"

// ---- Fences for maps in global memory ---------------------------------------------------------------------

// fence.proxy.tensormap::generic.acquire.SCOPE [map], 128;                          PTX 8.3, sm_90 (9.7.13.4)
// The thread that uses a map in global memory, before its first copy with it. gpu: another kernel or block of
// this GPU has written the map; sys: the host has (cudaMemcpy). Not needed for maps in parameters or
// __constant__ memory.
__device__ static __forceinline__ void fence_proxy_tensormap_acquire_gpu(const CUtensorMap *tensor_map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" : : "l"(tensor_map) : "memory");
}
__device__ static __forceinline__ void fence_proxy_tensormap_acquire_sys(const CUtensorMap *tensor_map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" : : "l"(tensor_map) : "memory");
}

// fence.proxy.tensormap::generic.release.SCOPE;                                     PTX 8.3, sm_90 (9.7.13.4)
// The thread that has written a map into global memory, after its writes and before it signals the map's
// users.
__device__ static __forceinline__ void fence_proxy_tensormap_release_gpu() {
  asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
}
__device__ static __forceinline__ void fence_proxy_tensormap_release_sys() {
  asm volatile("fence.proxy.tensormap::generic.release.sys;" ::: "memory");
}

// tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [dst], [src], 128;
//                                                                                  PTX 8.3, sm_90 (9.7.13.16)
// A whole warp, together. Copies a map from shared to global memory and releases it; both addresses 128-byte
// aligned. The map's users still need fence_proxy_tensormap_acquire_gpu.
__device__ static __forceinline__ void tensormap_copy_and_release(CUtensorMap *gmem_dest,
                                                                  const CUtensorMap *smem_src) {
  asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
               "[%0], [%1], 128;"
               :
               : "l"(__cvta_generic_to_global(gmem_dest)), "r"(tma_shared_address(smem_src))
               : "memory");
}

// ---- Changing a map on the device (architecture-specific targets) -----------------------------------------

// ptxas refuses these instructions for plain targets. On Hopper, compile a file that uses them with
// compute_90a, sm_90a; on later chips with sm_100a, sm_103a, sm_110a or sm_120a, say (PTX ISA 9.1, section
// 9.7.9.28).

// tensormap.replace.tile.global_address.shared::cta.b1024.b64 [map], address;      PTX 8.3, sm_90a (9.7.9.28)
// One thread, on a copy of the map in shared memory (128-byte aligned). address: 16-byte aligned.
__device__ static __forceinline__ void tensormap_replace_global_address(CUtensorMap *smem_map,
                                                                        const void *address) {
  asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;"
               :
               : "r"(tma_shared_address(smem_map)), "l"(address)
               : "memory");
}

// tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], DIMENSION, size;  PTX 8.3, sm_90a (9.7.9.28)
// The number of elements along a dimension; dimension 0 is the innermost.
template <int DIMENSION>
__device__ static __forceinline__ void tensormap_replace_global_dim(CUtensorMap *smem_map, uint32_t size) {
  asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], %1, %2;"
               :
               : "r"(tma_shared_address(smem_map)), "n"(DIMENSION), "r"(size)
               : "memory");
}

// tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [map], DIMENSION, bytes;
//                                                                                  PTX 8.3, sm_90a (9.7.9.28)
// The distance in bytes between neighbours along dimension DIMENSION + 1; a multiple of 16. The instruction
// takes bytes since CUDA 12.5. Before, it took sixteenths of them, so this function divides for nvcc 12.4.
template <int DIMENSION>
__device__ static __forceinline__ void tensormap_replace_global_stride(CUtensorMap *smem_map,
                                                                       uint64_t bytes) {
#if defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1205
  bytes = bytes / 16;
#endif
  asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], %1, %2;"
               :
               : "r"(tma_shared_address(smem_map)), "n"(DIMENSION), "l"(bytes)
               : "memory");
}

#endif
