// In: a Hopper GPU. Out: cycles of a processor for loads of shared memory, by the size of a word and by which
// lanes share one; cycles of a scheduler for eight instructions of logic and of products, by how many
// registers each reads and whether another of its thread is between two that wait for one another.
//   time-registers
#include "cuda-check.h"
#include <cstdint>
#include <cstdio>

enum { ROUNDS = 64, LOADS = 16, TURNS = 4, SCHEDULERS = 4, BYTES = 16 << 10 };

extern __shared__ uint32_t memory[];

// Loads that ptxas neither merges nor leaves out.
template <int WORDS> __device__ static void load(uint32_t from, uint32_t &x) {
  uint32_t b, c, d;
  if (WORDS == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(from));
  if (WORDS == 2) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(b) : "r"(from));
  if (WORDS == 4)
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(from));
}

template <int WORDS>
__global__ void __launch_bounds__(1024) loads(uint32_t *out, uint32_t divide, uint32_t modulo) {
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(memory));
  const uint32_t from = base + threadIdx.x % 32 / divide % modulo * WORDS * 4;
  uint32_t x = 0, sum = 0;
  __syncthreads();
  const uint32_t begin = clock();
#pragma unroll 1
  for (int i = 0; i < ROUNDS; i++) {
#pragma unroll
    for (int k = 0; k < LOADS; k++)
      load<WORDS>(from + k * 512, x);
    sum += x;
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = clock() - begin;
  if (sum == 0x7123456) out[1] = sum;
}

enum kind { TWO_REGISTERS, THREE_REGISTERS, TWO_CHAINS, ONE_CHAIN, ONE_CHAIN_TWO_REGISTERS, KINDS };
static const char *const kinds[KINDS] = {"LOP3 and IMAD of two registers, eight chains",
                                         "of three registers, eight chains", "of three registers, two chains",
                                         "of three registers, one chain", "of two registers, one chain"};

__device__ static void logic2(uint32_t &d, uint32_t a) {
  asm volatile("xor.b32 %0, %0, %1;" : "+r"(d) : "r"(a));
}
__device__ static void logic3(uint32_t &d, uint32_t a, uint32_t b) {
  asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(d) : "r"(a), "r"(b));
}
__device__ static void product2(uint32_t &d, uint32_t a) {
  asm volatile("mad.lo.u32 %0, %0, %1, 77;" : "+r"(d) : "r"(a));
}
__device__ static void product3(uint32_t &d, uint32_t a, uint32_t b) {
  asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(d) : "r"(a), "r"(b));
}

template <int KIND> __global__ void turns(uint32_t *out, uint32_t u, uint32_t v) {
  const bool two = KIND == TWO_REGISTERS || KIND == ONE_CHAIN_TWO_REGISTERS;
  const bool many = KIND == TWO_REGISTERS || KIND == THREE_REGISTERS;
  uint32_t w[8], sum = 0;
  const uint32_t a = u + threadIdx.x, b = v * threadIdx.x, c = a ^ 77, e = b + 5;
  for (int i = 0; i < 8; i++)
    w[i] = i * a;
  __syncthreads();
  const uint32_t begin = clock();
#pragma unroll 1
  for (int i = 0; i < ROUNDS; i++)
#pragma unroll
    for (int n = 0; n < 4 * TURNS; n++) {
      const int x = many ? n % 4 : KIND == TWO_CHAINS ? n % 2 : 0, y = many ? x + 4 : x;
      two ? logic2(w[x], a) : logic3(w[x], a, b);
      two ? product2(w[y], b) : product3(w[y], c, e);
    }
  __syncthreads();
  if (threadIdx.x == 0) *out = clock() - begin;
  for (int i = 0; i < 8; i++)
    sum += w[i];
  if (sum == 0x7123456) out[1] = sum;
}

static uint32_t cycles_of(const uint32_t *out) {
  uint32_t cycles;
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(&cycles, out, sizeof cycles, cudaMemcpyDeviceToHost));
  return cycles;
}

template <int WORDS> static void say_loads(uint32_t *out) {
  static const uint32_t how[][2] = {{1, 32}, {32, 1}, {16, 2}, {8, 4}, {4, 8},
                                    {2, 16}, {1, 2},  {1, 4},  {1, 8}, {1, 16}};
  for (const auto &h : how) {
    printf("words of %d bytes, lane / %u %% %u:", 4 * WORDS, h[0], h[1]);
    for (const uint32_t warps : {4u, 16u}) {
      for (int again = 0; again < 2; again++) // the first one fetches the code
        loads<WORDS><<<1, 32 * warps, BYTES>>>(out, h[0], h[1]);
      printf("  %u warps: %.2f", warps, cycles_of(out) / static_cast<double>(ROUNDS * LOADS * warps));
    }
    printf("\n");
  }
}

template <int KIND> static void say_turns(uint32_t *out) {
  printf("%s:", kinds[KIND]);
  for (const uint32_t warps : {1u, 2u, 3u, 4u, 6u, 8u}) {
    for (int again = 0; again < 2; again++)
      turns<KIND><<<1, 32 * SCHEDULERS * warps>>>(out, 3, 5);
    printf("  %u warps: %.2f", warps, cycles_of(out) / static_cast<double>(ROUNDS * TURNS * warps));
  }
  printf("\n");
}

int main() {
  uint32_t *out;
  CUDA_CHECK(cudaMalloc(&out, 64));
  say_loads<1>(out);
  say_loads<2>(out);
  say_loads<4>(out);
  say_turns<TWO_REGISTERS>(out);
  say_turns<THREE_REGISTERS>(out);
  say_turns<TWO_CHAINS>(out);
  say_turns<ONE_CHAIN>(out);
  say_turns<ONE_CHAIN_TWO_REGISTERS>(out);
  return 0;
}
