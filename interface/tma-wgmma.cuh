// In: tiles in shared memory, as tensor copies with a 128-byte swizzle put them there. Out: products of such
// tiles, by the tensor cores, in the registers of a warpgroup: four warps, the first a multiple of four. The
// idea: the product is asynchronous, as copies are: it reads its tiles and writes its sums at any time until
// it is waited for.
//
// The names follow PTX. In CUTLASS they are:
//   wgmma_fence                          warpgroup_arrive
//   wgmma_commit_group                   warpgroup_commit_batch
//   wgmma_wait_until_pending<N>          warpgroup_wait<N>
//   wgmma_descriptor                     GmmaDescriptor, layout B128, major K
//   wgmma_m64n256k16_f32_bf16            SM90_64x256x16_F32BF16BF16_SS
//   warpgroup_registers_up, .._down      warpgroup_reg_alloc, warpgroup_reg_dealloc
// All of it needs sm_90a, as in nvcc -gencode arch=compute_90a,code=sm_90a: these instructions are Hopper's
// alone.
#ifndef TMA_LAB_TMA_WGMMA_CUH
#define TMA_LAB_TMA_WGMMA_CUH

#include "tma-interface.cuh"

// wgmma.fence.sync.aligned;                                                      PTX 8.0, sm_90a (9.7.15.7.1)
// All 128 threads of a warpgroup: before their first product, and before a product that uses registers which
// they have changed since. Products that add to the same sums one after the other need none in between.
__device__ static __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// wgmma.commit_group.sync.aligned;                                               PTX 8.0, sm_90a (9.7.15.7.2)
// All 128 threads. Puts the products since the last commit into a group. Groups complete in their order.
__device__ static __forceinline__ void wgmma_commit_group() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// wgmma.wait_group.sync.aligned N;                                               PTX 8.0, sm_90a (9.7.15.7.3)
// All 128 threads. Returns when all but the N newest groups are complete. Then their tiles may be overwritten
// and their sums read. Sums that a pending group writes may not be read, not even copied.
template <int N> __device__ static __forceinline__ void wgmma_wait_until_pending() {
  static_assert(N >= 0 && N < 8, "N counts the groups that may still be pending: 0 to 7");
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(N) : "memory");
}

// The matrix descriptor of a tile with rows of 128 bytes, swizzled by 128 bytes, and k along the row (PTX ISA
// 9.1, 9.7.15.5.1). The tile begins at a multiple of 1024 bytes; eight rows of it make 1024 bytes, which is
// what the descriptor says in its bits 32 to 45. Addresses and distances are in units of 16 bytes. So for the
// next 16 numbers of k, 32 bytes along the row, add 2.
__device__ static __forceinline__ uint64_t wgmma_descriptor(const void *tile) {
  constexpr uint64_t eight_rows = 1024 >> 4, swizzle_128 = 1;
  return (tma_shared_address(tile) & 0x3ffff) >> 4 | eight_rows << 32 | swizzle_128 << 62;
}

#define WGMMA_SUMS_4(i)  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define WGMMA_SUMS_16(i) WGMMA_SUMS_4(i), WGMMA_SUMS_4(i + 4), WGMMA_SUMS_4(i + 8), WGMMA_SUMS_4(i + 12)

// wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 d, a, b, accumulate, 1, 1, 0, 0;
//                                                                                PTX 8.0, sm_90a (9.7.15.5.2)
// All 128 threads of a warpgroup, with the same a, b and accumulate. Starts d = a b + d, or d = a b if
// accumulate is 0. a: 64 rows, b: 256 columns, each with 16 numbers of k side by side. The sums are floats.
// Lane l of warp w has those of rows 16 w + l / 4 and 8 more, in every group of 8 columns c: d[4 c], d[4 c +
// 1] are in columns 8 c + 2 (l % 4) and the next of the first row, d[4 c + 2], d[4 c + 3] of the second.
__device__ static __forceinline__ void wgmma_m64n256k16_f32_bf16(float (&d)[128], uint64_t a, uint64_t b,
                                                                 int accumulate) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, p, 1, 1, 0, 0; }"
      : WGMMA_SUMS_16(0), WGMMA_SUMS_16(16), WGMMA_SUMS_16(32), WGMMA_SUMS_16(48), WGMMA_SUMS_16(64),
        WGMMA_SUMS_16(80), WGMMA_SUMS_16(96), WGMMA_SUMS_16(112)
      : "l"(a), "l"(b), "r"(accumulate));
}

#undef WGMMA_SUMS_16
#undef WGMMA_SUMS_4

// setmaxnreg.dec.sync.aligned.u32 N;                                              PTX 8.0, sm_90a (9.7.19.5)
// All 128 threads. From here on each of them uses at most N registers, a multiple of 8, 24 to 256. The others
// go to a pool of the block.
template <int N> __device__ static __forceinline__ void warpgroup_registers_down() {
  static_assert(N % 8 == 0 && N >= 24 && N <= 256, "N is a multiple of 8, 24 to 256");
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(N));
}

// setmaxnreg.inc.sync.aligned.u32 N;                                              PTX 8.0, sm_90a (9.7.19.5)
// All 128 threads. From here on each of them may use N registers. Waits until the block's pool has them.
template <int N> __device__ static __forceinline__ void warpgroup_registers_up() {
  static_assert(N % 8 == 0 && N >= 24 && N <= 256, "N is a multiple of 8, 24 to 256");
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(N));
}

#endif
