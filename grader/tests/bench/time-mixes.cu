// In: a Hopper GPU. Out: cycles of a scheduler for a few instructions together, by eight warps on each, and
// cycles from one to the next by one warp alone: which of them share a part of the processor.
//   time-mixes
#include "cuda-check.h"
#include <algorithm>
#include <cstdint>
#include <cstdio>

enum { ROUNDS = 64, CHAINS = 4, SCHEDULERS = 4 };

// One turn of a chain. y and z are not known to the compiler.
struct shifts {
  static constexpr const char *name = "SHF";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t) { return __funnelshift_l(x, y, 7); }
};
struct shifts_products {
  static constexpr const char *name = "SHF, IMAD";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t z) {
    return __funnelshift_l(x, y, 7) * 0x85ebca6bu + z;
  }
};
struct floats {
  static constexpr const char *name = "FFMA";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t z) {
    return __float_as_uint(__fmaf_rn(__uint_as_float(x), __uint_as_float(y), __uint_as_float(z)));
  }
};
struct floats_adds {
  static constexpr const char *name = "FFMA, IADD3";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t z) { return floats::of(x, y, z) + 5; }
};
struct floats_products {
  static constexpr const char *name = "FFMA, IMAD";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t z) { return floats::of(x, y, z) * z + y; }
};
struct floats_shifts {
  static constexpr const char *name = "FFMA, SHF";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t z) {
    return __funnelshift_l(floats::of(x, y, z), y, 7);
  }
};
struct chooses {
  static constexpr const char *name = "ISETP, SEL";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t z) { return x < y ? z : x; }
};
struct bytes {
  static constexpr const char *name = "PRMT";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t) { return __byte_perm(x, y, 0x2541); }
};
struct bytes_adds {
  static constexpr const char *name = "PRMT, VIADD";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t) { return __byte_perm(x, y, 0x2541) + 5; }
};
struct bytes_adds_products {
  static constexpr const char *name = "two PRMT, one IADD3, three IMAD";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t z) {
    return __byte_perm(x * y, y, 0x2541) + 5 + z;
  }
};
struct wides {
  static constexpr const char *name = "two WIDE, two LOP3, VIADD, IADD3";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t) {
    const uint64_t p = static_cast<uint64_t>(x) * y;
    return static_cast<uint32_t>(p) ^ static_cast<uint32_t>(p >> 32);
  }
};
struct warps {
  static constexpr const char *name = "S2R, SHF, SGXT, half a LOP3";
  __device__ static uint32_t of(uint32_t x, uint32_t, uint32_t) {
    uint32_t warp;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp)::"memory");
    return x ^ warp;
  }
};
struct processors {
  static constexpr const char *name = "S2R or S2UR, half a LOP3";
  __device__ static uint32_t of(uint32_t x, uint32_t, uint32_t) {
    uint32_t processor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(processor)::"memory");
    return x ^ processor;
  }
};
__constant__ uint32_t constants[64];
struct chosen {
  static constexpr const char *name = "LDC of 32 places, two LOP3, IMAD";
  __device__ static uint32_t of(uint32_t x, uint32_t, uint32_t) { return x ^ constants[x % 64]; }
};
struct votes {
  static constexpr const char *name = "VOTE, ISETP";
  __device__ static uint32_t of(uint32_t x, uint32_t y, uint32_t) { return __ballot_sync(~0u, x < y); }
};
struct turned {
  static constexpr const char *name = "SHFL";
  __device__ static uint32_t of(uint32_t x, uint32_t, uint32_t) { return __shfl_xor_sync(~0u, x, 1); }
};

template <typename MIX> __global__ void mixes(uint32_t *cycles, uint32_t *out, uint32_t y, uint32_t z) {
  uint32_t x[CHAINS], from, to;
  for (int i = 0; i < CHAINS; i++)
    x[i] = threadIdx.x * CHAINS + i;
  __syncthreads();
  asm volatile("mov.u32 %0, %%clock;" : "=r"(from)::"memory");
#pragma unroll
  for (int round = 0; round < ROUNDS; round++)
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
      x[i] = MIX::of(x[i], y, z);
  uint32_t sum = 0;
  for (int i = 0; i < CHAINS; i++)
    sum ^= x[i];
  if (sum == 0x7fffff01) *out = sum;
  __syncthreads();
  asm volatile("mov.u32 %0, %%clock;" : "=r"(to)::"memory");
  if (threadIdx.x == 0) *cycles = to - from;
}

// What a warp needs to know its place: at a block's begin, and again.
__device__ static inline uint32_t place() {
  uint32_t thread, block, width;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread)::"memory");
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block)::"memory");
  asm volatile("mov.u32 %0, %%ntid.x;" : "=r"(width)::"memory");
  return block * width + thread;
}
__device__ static inline uint32_t now_after(uint32_t v) {
  uint32_t t;
  asm volatile("{ .reg .pred p; .reg .u32 r; setp.eq.u32 p, %1, 0x7fffff01; selp.u32 r, 1, 0, p;"
               "  mov.u32 %0, %%clock; add.u32 %0, %0, r; }"
               : "=r"(t)
               : "r"(v)
               : "memory");
  return t;
}
__global__ void places(uint32_t *sums, const uint32_t *words) {
  uint32_t t[5];
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t[0])::"memory");
  const uint32_t i = place();
  t[1] = now_after(i);
  const uint32_t again = place();
  t[2] = now_after(again);
  t[3] = now_after(__shfl_xor_sync(~0u, again, 1));
  t[4] = now_after(words[i % 32]);
  if (threadIdx.x % 32) return;
  for (int k = 0; k < 4; k++)
    atomicAdd(sums + k, t[k + 1] - t[k]);
}

static void say_places(uint32_t *sums, const uint32_t *words) {
  for (const uint32_t threads : {32u, 256u}) {
    const uint32_t blocks = 132 * 8, warps = blocks * threads / 32;
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 4; k++)
        sums[k] = 0;
      places<<<blocks, threads>>>(sums, words);
      CUDA_CHECK(cudaDeviceSynchronize());
    }
    printf("blocks of %4u: its place %.0f cycles, again %.0f, a shuffle %.0f, a word %.0f\n", threads,
           sums[0] / static_cast<double>(warps), sums[1] / static_cast<double>(warps),
           sums[2] / static_cast<double>(warps), sums[3] / static_cast<double>(warps));
  }
}

template <typename MIX> static void say(uint32_t *cycles, uint32_t *out) {
  printf("%-32s", MIX::name);
  for (const uint32_t warps : {1u, 8u}) {
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < 4; i++) {
      mixes<MIX><<<1, warps * SCHEDULERS * 32>>>(cycles, out, 0x3f000000, 0x3f800000);
      CUDA_CHECK(cudaDeviceSynchronize());
      least = std::min(least, *cycles);
    }
    printf("  %u warps: %.2f", warps, least / static_cast<double>(ROUNDS * CHAINS * warps));
  }
  printf("\n");
}

int main() {
  uint32_t *cycles, *out;
  CUDA_CHECK(cudaMallocManaged(&cycles, 4 * sizeof *cycles));
  CUDA_CHECK(cudaMalloc(&out, 128));
  CUDA_CHECK(cudaMemset(out, 0, 128));
  say<shifts>(cycles, out);
  say<shifts_products>(cycles, out);
  say<floats>(cycles, out);
  say<floats_adds>(cycles, out);
  say<floats_products>(cycles, out);
  say<floats_shifts>(cycles, out);
  say<chooses>(cycles, out);
  say<bytes>(cycles, out);
  say<bytes_adds>(cycles, out);
  say<bytes_adds_products>(cycles, out);
  say<wides>(cycles, out);
  say<warps>(cycles, out);
  say<processors>(cycles, out);
  say<chosen>(cycles, out);
  say<votes>(cycles, out);
  say<turned>(cycles, out);
  say_places(cycles, out);
  return 0;
}
