// In: pointers into shared and global memory, tensor maps, byte counts. Out: one PTX instruction per
// function. The idea: the hardware does exactly what the program says, so nothing here waits, fences or
// elects a lane behind your back.
//
// Words used in every comment below:
//   bar      an mbarrier: 8 bytes of shared memory, 8-byte aligned (`__shared__ uint64_t bar;`)
//   parity   0 for a barrier's phases 0, 2, 4, ..; 1 for its phases 1, 3, 5, ..
//   bytes    always a byte count, never a number of elements
//   async proxy     the copy engine's path to memory; ordinary loads and stores take the generic proxy
// Sections (9.7...) are those of the PTX ISA 9.1. Everything compiles with nvcc 12.4 or newer, for sm_90 or
// newer; a function that asks for more says so in its comment.
#ifndef TMA_LAB_TMA_INTERFACE_CUH
#define TMA_LAB_TMA_INTERFACE_CUH

#ifndef __CUDACC__
#error "tma-interface.cuh holds device code: compile this file with nvcc, as a .cu file"
#endif
#if defined(__CUDACC_VER_MAJOR__) && (__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1204)
#error "tma-interface.cuh needs nvcc 12.4 or newer (nvcc --version says which one this is)"
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#error "the Tensor Memory Accelerator came with Hopper: compile for sm_90, " \
    "as in nvcc -gencode arch=compute_90,code=sm_90"
#endif

#include "cuda-check.h"
#include <cuda.h>
#include <stdint.h>

// The 32-bit address of an object in this block's shared memory, as the instructions below need it.
__device__ static __forceinline__ uint32_t tma_shared_address(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// ---- Proxy fences -----------------------------------------------------------------------------------------

// fence.proxy.async.shared::cta;                                                    PTX 8.0, sm_90 (9.7.13.4)
// Makes ordinary writes to shared memory visible to a bulk store that reads them. Either each writing thread
// calls it, after its writes and before the synchronisation with the thread that issues the store; or that
// thread alone calls it, after the synchronisation. Without it, the store may read the old bytes. It orders
// this thread's own writes and those that this thread already sees. It waits for no other thread. It is often
// called after init_barrier(), too, though there the block's or cluster's synchronisation is enough.
__device__ static __forceinline__ void async_proxy_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// fence.proxy.async.global;                                                         PTX 8.0, sm_90 (9.7.13.4)
// The same for global memory: after ordinary stores to it, if a bulk copy of the same kernel then accesses
// those bytes: a load that reads them, a reduction that adds to them, a store that overwrites them.
__device__ static __forceinline__ void async_proxy_fence_global() {
  asm volatile("fence.proxy.async.global;" ::: "memory");
}

// fence.proxy.async;                                                                PTX 8.0, sm_90 (9.7.13.4)
// The same for every state space, even shared memory of other blocks of the cluster. The slowest of the
// three.
__device__ static __forceinline__ void async_proxy_fence_all() {
  asm volatile("fence.proxy.async;" ::: "memory");
}

// ---- Barriers (mbarrier) ----------------------------------------------------------------------------------

// mbarrier.init.shared::cta.b64 [bar], arrival_count;                            PTX 7.8, sm_80 (9.7.13.15.9)
// One thread, once. Each phase then completes after `arrival_count` arrivals (1 to 2^20 - 1) and all
// announced bytes. Other threads may use the barrier only after a __syncthreads(). To initialise it again,
// call inval_barrier first.
__device__ static __forceinline__ void init_barrier(uint64_t *bar, uint32_t arrival_count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(tma_shared_address(bar)), "r"(arrival_count)
               : "memory");
}

// mbarrier.inval.shared::cta.b64 [bar];                                         PTX 7.8, sm_80 (9.7.13.15.10)
// One thread, when no thread uses the barrier any more. Then its 8 bytes may be used for something else.
__device__ static __forceinline__ void inval_barrier(uint64_t *bar) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" : : "r"(tma_shared_address(bar)) : "memory");
}

// fence.mbarrier_init.release.cluster;                                              PTX 8.0, sm_90 (9.7.13.4)
// The thread that has initialised barriers, before cluster_arrive_relaxed(). Then other blocks of the cluster
// see the initialised barriers. Within one block, __syncthreads() is enough.
__device__ static __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// mbarrier.arrive.release.cta.shared::cta.b64 _, [bar], count;                  PTX 8.0, sm_90 (9.7.13.15.13)
// Counts `count` arrivals for the current phase and does not wait. A thread that sees the phase complete also
// sees what this thread has written before. More arrivals than the phase still needs are undefined.
__device__ static __forceinline__ void arrive(uint64_t *bar, uint32_t count = 1) {
  asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(tma_shared_address(bar)), "r"(count)
               : "memory");
}

// mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], bytes;                  PTX 8.0, sm_90 (9.7.13.15.11)
// One thread. Adds `bytes` to the bytes that the current phase waits for. This is no arrival: the arrival
// must follow. With too many bytes in all, the phase never completes. With too few, it completes too early,
// or never (on an H100).
__device__ static __forceinline__ void expect_bytes(uint64_t *bar, uint32_t bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;"
               :
               : "r"(tma_shared_address(bar)), "r"(bytes)
               : "memory");
}

// mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;        PTX 8.0, sm_90 (9.7.13.15.13)
// One thread. Announces `bytes` for the current phase, then counts one arrival. Does not wait.
__device__ static __forceinline__ void expect_bytes_and_arrive(uint64_t *bar, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(tma_shared_address(bar)), "r"(bytes)
               : "memory");
}

// mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, [bar], parity;       PTX 8.0, sm_90 (9.7.13.15.16)
// True if the last completed phase has that parity. Then its copies have landed and this thread may read
// them. Returns at once. On a fresh barrier, parity 1 gives true: the phase before phase 0 counts as
// completed.
__device__ static __forceinline__ bool test_wait(uint64_t *bar, uint32_t parity) {
  uint32_t complete;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 "
               "p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(complete)
               : "r"(tma_shared_address(bar)), "r"(parity)
               : "memory");
  return complete != 0;
}

// mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [bar], parity;        PTX 8.0, sm_90 (9.7.13.15.16)
// As test_wait, but the thread may sleep first, until the phase completes or a time limit that the chip
// chooses has passed. False is no error: call it again.
__device__ static __forceinline__ bool try_wait(uint64_t *bar, uint32_t parity) {
  uint32_t complete;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 "
               "p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(complete)
               : "r"(tma_shared_address(bar)), "r"(parity)
               : "memory");
  return complete != 0;
}

// Repeats try_wait until it is true. For every thread that reads what the phase delivers. With the wrong
// parity it hangs or, worse, returns at once, before the data is there.
__device__ static __forceinline__ void wait(uint64_t *bar, uint32_t parity) {
  while (!try_wait(bar, parity)) {
  }
}

// ---- Bulk copies of contiguous bytes ----------------------------------------------------------------------

// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dst], [src], bytes, [bar];
//                                                                               PTX 8.0, sm_90 (9.7.9.25.4.1)
// One thread. Starts a copy from global memory into this block's shared memory. When the bytes have landed,
// they are credited to the barrier. dst, src and bytes must be multiples of 16, else the hardware hangs or
// traps. Announce the bytes with expect_bytes or expect_bytes_and_arrive. No thread may access dst before it
// has waited for the phase.
__device__ static __forceinline__ void cp_async_bulk_global_to_shared(void *smem_dest, const void *gmem_src,
                                                                      uint32_t bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(__cvta_generic_to_global(gmem_src)), "r"(bytes),
                 "r"(tma_shared_address(bar))
               : "memory");
}

// cp.async.bulk.global.shared::cta.bulk_group [dst], [src], bytes;              PTX 8.0, sm_90 (9.7.9.25.4.1)
// One thread, after the writers' async_proxy_fence() and a synchronisation with them. Starts a copy from
// shared to global memory. dst, src and bytes must be multiples of 16. Until a wait of this same thread has
// returned, src must not change and the block must not exit: see tma_commit_group and the two waits.
__device__ static __forceinline__ void cp_async_bulk_shared_to_global(void *gmem_dest, const void *smem_src,
                                                                      uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               :
               : "l"(__cvta_generic_to_global(gmem_dest)), "r"(tma_shared_address(smem_src)), "r"(bytes)
               : "memory");
}

// ---- Groups of bulk stores --------------------------------------------------------------------------------

// cp.async.bulk.commit_group;                                                   PTX 8.0, sm_90 (9.7.9.27.2.1)
// The thread that has issued the stores, since groups belong to a thread. Puts all its stores since the last
// commit into a group. No wait covers a store that is in no group.
__device__ static __forceinline__ void tma_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// cp.async.bulk.wait_group N;                                                   PTX 8.0, sm_90 (9.7.9.27.2.2)
// The committing thread. Returns when all but its N newest groups are complete: their sources have been read,
// their destinations written, and the writes are visible to this thread.
template <int N> __device__ static __forceinline__ void tma_wait_until_pending() {
  static_assert(N >= 0, "N counts the groups that may still be pending: 0 or more");
  asm volatile("cp.async.bulk.wait_group %0;" : : "n"(N) : "memory");
}

// cp.async.bulk.wait_group.read N;                                              PTX 8.0, sm_90 (9.7.9.27.2.2)
// The committing thread. Returns when all but its N newest groups have read their sources. Then the shared
// memory may be overwritten, or the block may exit. The destinations may not be written yet, so don't read
// back what was stored.
template <int N> __device__ static __forceinline__ void tma_wait_until_read_pending() {
  static_assert(N >= 0, "N counts the groups that may still be unread: 0 or more");
  asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(N) : "memory");
}

// The same three under their longer names.
__device__ static __forceinline__ void tma_store_commit_group() {
  tma_commit_group();
}
template <int N> __device__ static __forceinline__ void tma_store_wait_until_pending() {
  tma_wait_until_pending<N>();
}
template <int N> __device__ static __forceinline__ void tma_store_wait_until_read_pending() {
  tma_wait_until_read_pending<N>();
}

// ---- The elected lane -------------------------------------------------------------------------------------

// elect.sync _|p, 0xffffffff;                                                      PTX 8.0, sm_90 (9.7.13.14)
// All 32 lanes of a warp, together. True in exactly one lane, always the same one.
__device__ static __forceinline__ bool elect_one() {
  uint32_t elected;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
               : "=r"(elected)::"memory");
  return elected != 0;
}

// ---- Tensor copies ----------------------------------------------------------------------------------------

// cp.async.bulk.tensor.Rd.shared::cluster.global.tile.mbarrier::complete_tx::bytes
//     [dst], [map, {c0, ..}], [bar];                                            PTX 8.0, sm_90 (9.7.9.27.1.2)
// One thread. Starts a copy of one box of the tensor into shared memory, without gaps between rows. c0 counts
// elements of the innermost dimension; c0 times the element size must be a multiple of 16. All coordinates
// may lie outside the tensor, even negative ones: elements outside arrive as zero, and the *full* box's bytes
// are credited to the barrier. dst: 128-byte aligned. tensor_map: a `const __grid_constant__ CUtensorMap`
// parameter, __constant__ memory, or global memory after fence_proxy_tensormap_acquire_gpu or _sys; never a
// copy on the stack.
__device__ static __forceinline__ void cp_async_bulk_tensor_1d_global_to_shared(void *smem_dest,
                                                                                const CUtensorMap *tensor_map,
                                                                                int32_t c0, uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2}], [%3];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(tma_shared_address(bar))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_2d_global_to_shared(void *smem_dest,
                                                                                const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3}], [%4];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1),
                 "r"(tma_shared_address(bar))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_3d_global_to_shared(void *smem_dest,
                                                                                const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                int32_t c2, uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4}], [%5];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2),
                 "r"(tma_shared_address(bar))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_4d_global_to_shared(void *smem_dest,
                                                                                const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                int32_t c2, int32_t c3,
                                                                                uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4, %5}], [%6];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3),
                 "r"(tma_shared_address(bar))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_5d_global_to_shared(void *smem_dest,
                                                                                const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                int32_t c2, int32_t c3,
                                                                                int32_t c4, uint64_t *bar) {
  asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4, %5, %6}], [%7];"
               :
               : "r"(tma_shared_address(smem_dest)), "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3),
                 "r"(c4), "r"(tma_shared_address(bar))
               : "memory");
}

// cp.async.bulk.tensor.Rd.global.shared::cta.tile.bulk_group [map, {c0, ..}], [src];
//                                                                               PTX 8.0, sm_90 (9.7.9.27.1.2)
// One thread, after the writers' async_proxy_fence() and a synchronisation with them. Starts the copy of a
// box without gaps to the tensor. Rows outside the tensor are not written; nor are columns outside it, from
// the next multiple of 16 bytes on, where an H100 ends each row of a store (measured). c0 times the element
// size must be a multiple of 16, as in a load. No coordinate may be negative ("illegal instruction"). src:
// 128-byte aligned; it must not change until a wait of this same thread has returned: see tma_commit_group.
__device__ static __forceinline__ void cp_async_bulk_tensor_1d_shared_to_global(const CUtensorMap *tensor_map,
                                                                                int32_t c0,
                                                                                const void *smem_src) {
  asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];"
               :
               : "l"(tensor_map), "r"(c0), "r"(tma_shared_address(smem_src))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_2d_shared_to_global(const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                const void *smem_src) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
               :
               : "l"(tensor_map), "r"(c0), "r"(c1), "r"(tma_shared_address(smem_src))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_3d_shared_to_global(const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                int32_t c2,
                                                                                const void *smem_src) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];"
               :
               : "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(tma_shared_address(smem_src))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_4d_shared_to_global(const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                int32_t c2, int32_t c3,
                                                                                const void *smem_src) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4}], [%5];"
               :
               : "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(tma_shared_address(smem_src))
               : "memory");
}

__device__ static __forceinline__ void cp_async_bulk_tensor_5d_shared_to_global(const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                int32_t c2, int32_t c3,
                                                                                int32_t c4,
                                                                                const void *smem_src) {
  asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];"
               :
               : "l"(tensor_map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4),
                 "r"(tma_shared_address(smem_src))
               : "memory");
}

// ---- The same, with the barrier given by reference --------------------------------------------------------

__device__ static __forceinline__ void init_barrier(uint64_t &bar, uint32_t count) {
  init_barrier(&bar, count);
}
__device__ static __forceinline__ void inval_barrier(uint64_t &bar) {
  inval_barrier(&bar);
}
__device__ static __forceinline__ void arrive(uint64_t &bar, uint32_t count = 1) {
  arrive(&bar, count);
}
__device__ static __forceinline__ void expect_bytes(uint64_t &bar, uint32_t bytes) {
  expect_bytes(&bar, bytes);
}
__device__ static __forceinline__ void expect_bytes_and_arrive(uint64_t &bar, uint32_t bytes) {
  expect_bytes_and_arrive(&bar, bytes);
}
__device__ static __forceinline__ bool test_wait(uint64_t &bar, uint32_t parity) {
  return test_wait(&bar, parity);
}
__device__ static __forceinline__ bool try_wait(uint64_t &bar, uint32_t parity) {
  return try_wait(&bar, parity);
}
__device__ static __forceinline__ void wait(uint64_t &bar, uint32_t parity) {
  wait(&bar, parity);
}
__device__ static __forceinline__ void cp_async_bulk_global_to_shared(void *smem_dest, const void *gmem_src,
                                                                      uint32_t bytes, uint64_t &bar) {
  cp_async_bulk_global_to_shared(smem_dest, gmem_src, bytes, &bar);
}
__device__ static __forceinline__ void cp_async_bulk_tensor_1d_global_to_shared(void *smem_dest,
                                                                                const CUtensorMap *tensor_map,
                                                                                int32_t c0, uint64_t &bar) {
  cp_async_bulk_tensor_1d_global_to_shared(smem_dest, tensor_map, c0, &bar);
}
__device__ static __forceinline__ void cp_async_bulk_tensor_2d_global_to_shared(void *smem_dest,
                                                                                const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                uint64_t &bar) {
  cp_async_bulk_tensor_2d_global_to_shared(smem_dest, tensor_map, c0, c1, &bar);
}
__device__ static __forceinline__ void cp_async_bulk_tensor_3d_global_to_shared(void *smem_dest,
                                                                                const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                int32_t c2, uint64_t &bar) {
  cp_async_bulk_tensor_3d_global_to_shared(smem_dest, tensor_map, c0, c1, c2, &bar);
}
__device__ static __forceinline__ void cp_async_bulk_tensor_4d_global_to_shared(void *smem_dest,
                                                                                const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                int32_t c2, int32_t c3,
                                                                                uint64_t &bar) {
  cp_async_bulk_tensor_4d_global_to_shared(smem_dest, tensor_map, c0, c1, c2, c3, &bar);
}
__device__ static __forceinline__ void cp_async_bulk_tensor_5d_global_to_shared(void *smem_dest,
                                                                                const CUtensorMap *tensor_map,
                                                                                int32_t c0, int32_t c1,
                                                                                int32_t c2, int32_t c3,
                                                                                int32_t c4, uint64_t &bar) {
  cp_async_bulk_tensor_5d_global_to_shared(smem_dest, tensor_map, c0, c1, c2, c3, c4, &bar);
}

#include "tma-cache.cuh"
#include "tma-cluster.cuh"
#include "tma-cta.cuh"
#include "tma-map-update.cuh"
#include "tma-reduce.cuh"
#include "tma-wgmma.cuh"

#endif
