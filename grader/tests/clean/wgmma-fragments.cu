// target: sm_90a
// A in registers, two sums, and a rescaling between products, in the manner of attention kernels. The older
// group's sums are read while the newer group is under way; fragments are made anew once both are done.
#include "corpus.h"

constexpr uint32_t ROWS = 64, COLUMNS = 8, DEPTH = 32, TURNS = 4;

__host__ __device__ static int value(uint32_t line, uint32_t k, uint32_t salt) {
  return static_cast<int>((line * 5 + k * 3 + line * k + salt) % 15) - 7;
}

__device__ static uint32_t place(uint32_t line, uint32_t k) {
  return line / 8 * 256 + k / 16 * 128 + line % 8 * 16 + k % 16;
}

__device__ static uint64_t descriptor(const void *tile) { // blocks: 128 bytes on along K, 256 along lines
  return (tma_shared_address(tile) & 0x3ffff) >> 4 | uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32;
}

// Four elements of A from row and k on.
__device__ static uint32_t fragment(uint32_t part, uint32_t salt) {
  const uint32_t lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4 + part % 2 * 8;
  const uint32_t k = 4 * (part / 2 * 4 + lane % 4);
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 4; i++)
    bits |= (static_cast<uint32_t>(value(row, k + i, salt)) & 255) << 8 * i;
  return bits;
}

__device__ static void multiply(int (&d)[4], const uint32_t (&a)[4], uint64_t b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, 1;"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ static void rescale(int (&d)[4]) {
  for (uint32_t i = 0; i < 4; i++)
    d[i] *= 3;
}

__device__ static void commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

__global__ void kernel(int *out) {
  __shared__ alignas(128) signed char b[COLUMNS * DEPTH];
  int d[4] = {0, 0, 0, 0}, e[4] = {0, 0, 0, 0}, seen[4] = {0, 0, 0, 0};
  for (uint32_t i = threadIdx.x; i < COLUMNS * DEPTH; i += blockDim.x)
    b[place(i / DEPTH, i % DEPTH)] = static_cast<signed char>(value(i / DEPTH, i % DEPTH, 9));
  async_proxy_fence();
  __syncthreads();
  uint32_t f[4], g[4];
#pragma unroll 1
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    for (uint32_t i = 0; i < 4; i++) {
      f[i] = fragment(i, turn);
      g[i] = fragment(i, turn + TURNS);
    }
    rescale(d);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    multiply(d, f, descriptor(b));
    commit();
    multiply(e, g, descriptor(b));
    commit();
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    for (uint32_t i = 0; i < 4; i++)
      seen[i] += d[i];
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  const uint32_t row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  asm volatile("wgmma.wait_group.sync.aligned 0; // all" ::: "memory");
  for (uint32_t i = 0; i < 4; i++)
    out[(row + i / 2 * 8) * COLUMNS + column + i % 2] = seen[i] * 2 + e[i];
}

static int expected(uint32_t row, uint32_t column) {
  int d = 0, e = 0, seen = 0;
  for (uint32_t turn = 0; turn < TURNS; turn++) {
    d *= 3;
    for (uint32_t k = 0; k < DEPTH; k++) {
      d += value(row, k, turn) * value(column, k, 9);
      e += value(row, k, turn + TURNS) * value(column, k, 9);
    }
    seen += d;
  }
  return seen * 2 + e;
}

int main() {
  guarded<int> out(size_t{ROWS} * COLUMNS);
  kernel<<<1, 128>>>(out.data());
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = out.get();
  for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
    const int right = expected(i / COLUMNS, i % COLUMNS);
    if (!check_that(got[i] == right, "[%u] is %d, not %d", i, got[i], right)) break;
  }
  return self_check_result();
}
