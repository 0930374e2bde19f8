// target: sm_90a
// The threads of a warpgroup write both matrices of a product themselves, with ordinary stores, and use the
// same memory again for the next product. Whole numbers of 8 bits, no swizzle: both matrices lie in blocks
// of 8 lines by 16 bytes.
#include "corpus.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 32, TURNS = 3;

__host__ __device__ static int value(uint32_t line, uint32_t k, uint32_t salt) {
  return static_cast<int>((line * 5 + k * 3 + line * k + salt) % 15) - 7;
}

__device__ static uint32_t place(uint32_t line, uint32_t k) {
  return line / 8 * 256 + k / 16 * 128 + line % 8 * 16 + k % 16;
}

__device__ static uint64_t descriptor(const void *tile) { // blocks: 128 bytes on along K, 256 along lines
  return (tma_shared_address(tile) & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32;
}

__device__ static void multiply(int (&d)[4], uint64_t a, uint64_t b, uint32_t accumulate) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0, %1, %2, %3}, %4, %5, p; }"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "l"(a), "l"(b), "r"(accumulate));
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) signed char a[ROWS * DEPTH], b[COLUMNS * DEPTH];
  int d[4];
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    for (uint32_t i = threadIdx.x; i < ROWS * DEPTH; i += blockDim.x)
      a[place(i / DEPTH, i % DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, turn));
    for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
      b[place(i / DEPTH, i % DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, turn + 9));
    async_proxy_fence();
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    multiply(d, descriptor(a), descriptor(b), turn);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  const uint32_t row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  for (uint32_t i = 0; i < 4; i++)
    out[(row + i / 2 * 8) * COLUMNS + column + i % 2] = d[i];
}

int main() {
  guarded<int> out(size_t{ROWS} * COLUMNS);
  kernel<<<1, 128>>>(out.data());
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = out.get();
  for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
    int right = 0;
    for (uint32_t turn = 0; turn < TURNS; turn++)
      for (uint32_t k = 0; k < DEPTH; k++)
        right += value(i / COLUMNS, k, turn) * value(i % COLUMNS, k, turn + 9);
    if (!check_that(got[i] == right, "[%u] is %d, not %d", i, got[i], right)) break;
  }
  return self_check_result();
}
