// In: operands in this block's shared memory. Out: bulk copies that combine each element with the destination
// instead of replacing it. The idea: each element is one operation, done close to the memory. It is atomic
// against other reductions, not against a thread's atomicAdd, which uses another proxy (PTX ISA 9.1, section
// 9.7.9.25.2). The order among elements is not defined. If threads of the same kernel have written the
// destination (zeros, for example), each writer calls async_proxy_fence_global(), then all synchronise, then
// the reduction may be issued.
#ifndef TMA_LAB_TMA_REDUCE_CUH
#define TMA_LAB_TMA_REDUCE_CUH

#include "tma-interface.cuh"

// ---- Shared to global memory, contiguous ------------------------------------------------------------------

// cp.reduce.async.bulk.global.shared::cta.bulk_group.OP.TYPE [dst], [src], bytes;
//                                                                               PTX 8.0, sm_90 (9.7.9.25.4.2)
// As cp_async_bulk_shared_to_global (one thread, fence before, multiples of 16, commit and wait after), but
// it computes dst[i] = dst[i] OP src[i]. The element type is that of the pointers:
//   cp_reduce_async_bulk_shared_to_global_add(dst, src, bytes)
//       _add             int32_t uint32_t uint64_t float double half bfloat16
//       _min  _max       int32_t uint32_t int64_t uint64_t half bfloat16
//       _inc  _dec       uint32_t, wrapping at the value in src
//       _and  _or  _xor  uint32_t uint64_t
// Float and double are added in no fixed order, so sums differ from run to run in their last bits. According
// to the PTX ISA, float subnormals become zero; an H100 keeps them (measured).
// half and bfloat16 are available if cuda_fp16.h or cuda_bf16.h is included before this file.
#define TMA_DEFINE_BULK_REDUCTION(name, operation_and_type, element)                                         \
  __device__ static __forceinline__ void cp_reduce_async_bulk_shared_to_global_##name(                       \
      element *gmem_dest, const element *smem_src, uint32_t bytes) {                                         \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." operation_and_type " [%0], [%1], %2;" \
                 :                                                                                           \
                 : "l"(__cvta_generic_to_global(gmem_dest)), "r"(tma_shared_address(smem_src)), "r"(bytes)   \
                 : "memory");                                                                                \
  }

TMA_DEFINE_BULK_REDUCTION(add, "add.s32", int32_t)
TMA_DEFINE_BULK_REDUCTION(add, "add.u32", uint32_t)
TMA_DEFINE_BULK_REDUCTION(add, "add.u64", uint64_t)
TMA_DEFINE_BULK_REDUCTION(add, "add.f32", float)
TMA_DEFINE_BULK_REDUCTION(add, "add.f64", double)
TMA_DEFINE_BULK_REDUCTION(min, "min.s32", int32_t)
TMA_DEFINE_BULK_REDUCTION(min, "min.u32", uint32_t)
TMA_DEFINE_BULK_REDUCTION(min, "min.s64", int64_t)
TMA_DEFINE_BULK_REDUCTION(min, "min.u64", uint64_t)
TMA_DEFINE_BULK_REDUCTION(max, "max.s32", int32_t)
TMA_DEFINE_BULK_REDUCTION(max, "max.u32", uint32_t)
TMA_DEFINE_BULK_REDUCTION(max, "max.s64", int64_t)
TMA_DEFINE_BULK_REDUCTION(max, "max.u64", uint64_t)
TMA_DEFINE_BULK_REDUCTION(inc, "inc.u32", uint32_t)
TMA_DEFINE_BULK_REDUCTION(dec, "dec.u32", uint32_t)
TMA_DEFINE_BULK_REDUCTION(and, "and.b32", uint32_t)
TMA_DEFINE_BULK_REDUCTION(and, "and.b64", uint64_t)
TMA_DEFINE_BULK_REDUCTION(or, "or.b32", uint32_t)
TMA_DEFINE_BULK_REDUCTION(or, "or.b64", uint64_t)
TMA_DEFINE_BULK_REDUCTION(xor, "xor.b32", uint32_t)
TMA_DEFINE_BULK_REDUCTION(xor, "xor.b64", uint64_t)
#ifdef __CUDA_FP16_TYPES_EXIST__
TMA_DEFINE_BULK_REDUCTION(add, "add.noftz.f16", __half)
TMA_DEFINE_BULK_REDUCTION(min, "min.f16", __half)
TMA_DEFINE_BULK_REDUCTION(max, "max.f16", __half)
#endif
#ifdef __CUDA_BF16_TYPES_EXIST__
TMA_DEFINE_BULK_REDUCTION(add, "add.noftz.bf16", __nv_bfloat16)
TMA_DEFINE_BULK_REDUCTION(min, "min.bf16", __nv_bfloat16)
TMA_DEFINE_BULK_REDUCTION(max, "max.bf16", __nv_bfloat16)
#endif
#undef TMA_DEFINE_BULK_REDUCTION

// ---- Shared memory to that of another block ---------------------------------------------------------------

// cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.OP.TYPE
//     [remote_dst], [src], bytes, [remote_bar];                                 PTX 8.0, sm_90 (9.7.9.25.4.2)
// As cp_async_bulk_shared_to_remote, but it combines. remote_dst and remote_bar come from map_to_block; src
// gives the type: _add int32_t uint32_t uint64_t; _min _max int32_t uint32_t; _inc _dec _and _or _xor
// uint32_t.
#define TMA_DEFINE_REMOTE_REDUCTION(name, operation_and_type, element)                                      \
  __device__ static __forceinline__ void cp_reduce_async_bulk_shared_to_remote_##name(                      \
      uint32_t remote_dest, const element *smem_src, uint32_t bytes, uint32_t remote_bar) {                 \
    asm volatile(                                                                                           \
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." operation_and_type \
        " [%0], [%1], %2, [%3];"                                                                            \
        :                                                                                                   \
        : "r"(remote_dest), "r"(tma_shared_address(smem_src)), "r"(bytes), "r"(remote_bar)                  \
        : "memory");                                                                                        \
  }

TMA_DEFINE_REMOTE_REDUCTION(add, "add.s32", int32_t)
TMA_DEFINE_REMOTE_REDUCTION(add, "add.u32", uint32_t)
TMA_DEFINE_REMOTE_REDUCTION(add, "add.u64", uint64_t)
TMA_DEFINE_REMOTE_REDUCTION(min, "min.s32", int32_t)
TMA_DEFINE_REMOTE_REDUCTION(min, "min.u32", uint32_t)
TMA_DEFINE_REMOTE_REDUCTION(max, "max.s32", int32_t)
TMA_DEFINE_REMOTE_REDUCTION(max, "max.u32", uint32_t)
TMA_DEFINE_REMOTE_REDUCTION(inc, "inc.u32", uint32_t)
TMA_DEFINE_REMOTE_REDUCTION(dec, "dec.u32", uint32_t)
TMA_DEFINE_REMOTE_REDUCTION(and, "and.b32", uint32_t)
TMA_DEFINE_REMOTE_REDUCTION(or, "or.b32", uint32_t)
TMA_DEFINE_REMOTE_REDUCTION(xor, "xor.b32", uint32_t)
#undef TMA_DEFINE_REMOTE_REDUCTION

// ---- Shared memory to a tensor ----------------------------------------------------------------------------

// cp.reduce.async.bulk.tensor.Rd.global.shared::cta.OP.tile.bulk_group [map, {c0, ..}], [src];
//                                                                               PTX 8.0, sm_90 (9.7.9.27.1.3)
// As cp_async_bulk_tensor_Rd_shared_to_global, but it combines:
// cp_reduce_async_bulk_tensor_2d_shared_to_global_add(map, c0, c1, src) and so on for rank 1 to 5 and _add
// _min _max _inc _dec _and _or _xor. The map gives the element type. The same pairs of operation and type are
// allowed as in the contiguous form, except _add for double.
#define TMA_DEFINE_TENSOR_REDUCTIONS(name, operation)                                                        \
  __device__ static __forceinline__ void cp_reduce_async_bulk_tensor_1d_shared_to_global_##name(             \
      const CUtensorMap *tensor_map, int32_t c0, const void *smem_src) {                                     \
    asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta." operation                              \
                 ".tile.bulk_group [%0, {%2}], [%1];"                                                        \
                 :                                                                                           \
                 : "l"(tensor_map), "r"(tma_shared_address(smem_src)), "r"(c0)                               \
                 : "memory");                                                                                \
  }                                                                                                          \
  __device__ static __forceinline__ void cp_reduce_async_bulk_tensor_2d_shared_to_global_##name(             \
      const CUtensorMap *tensor_map, int32_t c0, int32_t c1, const void *smem_src) {                         \
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." operation                              \
                 ".tile.bulk_group [%0, {%2, %3}], [%1];"                                                    \
                 :                                                                                           \
                 : "l"(tensor_map), "r"(tma_shared_address(smem_src)), "r"(c0), "r"(c1)                      \
                 : "memory");                                                                                \
  }                                                                                                          \
  __device__ static __forceinline__ void cp_reduce_async_bulk_tensor_3d_shared_to_global_##name(             \
      const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, const void *smem_src) {             \
    asm volatile("cp.reduce.async.bulk.tensor.3d.global.shared::cta." operation                              \
                 ".tile.bulk_group [%0, {%2, %3, %4}], [%1];"                                                \
                 :                                                                                           \
                 : "l"(tensor_map), "r"(tma_shared_address(smem_src)), "r"(c0), "r"(c1), "r"(c2)             \
                 : "memory");                                                                                \
  }                                                                                                          \
  __device__ static __forceinline__ void cp_reduce_async_bulk_tensor_4d_shared_to_global_##name(             \
      const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, int32_t c3, const void *smem_src) { \
    asm volatile("cp.reduce.async.bulk.tensor.4d.global.shared::cta." operation                              \
                 ".tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];"                                            \
                 :                                                                                           \
                 : "l"(tensor_map), "r"(tma_shared_address(smem_src)), "r"(c0), "r"(c1), "r"(c2), "r"(c3)    \
                 : "memory");                                                                                \
  }                                                                                                          \
  __device__ static __forceinline__ void cp_reduce_async_bulk_tensor_5d_shared_to_global_##name(             \
      const CUtensorMap *tensor_map, int32_t c0, int32_t c1, int32_t c2, int32_t c3, int32_t c4,             \
      const void *smem_src) {                                                                                \
    asm volatile("cp.reduce.async.bulk.tensor.5d.global.shared::cta." operation                              \
                 ".tile.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];"                                        \
                 :                                                                                           \
                 : "l"(tensor_map), "r"(tma_shared_address(smem_src)), "r"(c0), "r"(c1), "r"(c2), "r"(c3),   \
                   "r"(c4)                                                                                   \
                 : "memory");                                                                                \
  }

TMA_DEFINE_TENSOR_REDUCTIONS(add, "add")
TMA_DEFINE_TENSOR_REDUCTIONS(min, "min")
TMA_DEFINE_TENSOR_REDUCTIONS(max, "max")
TMA_DEFINE_TENSOR_REDUCTIONS(inc, "inc")
TMA_DEFINE_TENSOR_REDUCTIONS(dec, "dec")
TMA_DEFINE_TENSOR_REDUCTIONS(and, "and")
TMA_DEFINE_TENSOR_REDUCTIONS(or, "or")
TMA_DEFINE_TENSOR_REDUCTIONS(xor, "xor")
#undef TMA_DEFINE_TENSOR_REDUCTIONS

#endif
