// target: sm_90a
// A matrix product in the manner of libraries: a warpgroup loads tiles of A and B by TMA through a ring of
// stages, two warpgroups multiply them by wgmma, each one half of the rows. bf16 factors, 128-byte swizzle,
// f32 sums. Registers move from the loading to the multiplying warps. Stages go back one turn late, because
// the last product may still read them.
#include "corpus.h"

constexpr uint32_t ROWS = 128, COLUMNS = 128, DEPTH = 64, STAGES = 3, GROUP = 128, CONSUMERS = 2, SIZE = 256;

struct stage {
  uint16_t a[ROWS * DEPTH], b[COLUMNS * DEPTH];
};
struct storage {
  stage stages[STAGES];
  uint64_t full[STAGES], empty[STAGES];
};

__device__ static uint64_t descriptor(const void *tile) { // 128-byte swizzle, rows of 128 bytes
  return (tma_shared_address(tile) & 0x3ffff) >> 4 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62;
}

#define MATMUL_8(i)                                                                           \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
__device__ static void multiply(float (&d)[64], uint64_t a, uint64_t b, int accumulate) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %66, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
               "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
               "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
               "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
               "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
               "%64, %65, p, 1, 1, 0, 0; }"
               : MATMUL_8(0), MATMUL_8(8), MATMUL_8(16), MATMUL_8(24), MATMUL_8(32), MATMUL_8(40),
                 MATMUL_8(48), MATMUL_8(56)
               : "l"(a), "l"(b), "r"(accumulate));
}

__device__ static void load_tiles(storage &s, const CUtensorMap *a, const CUtensorMap *b, uint32_t size) {
  for (uint32_t turn = 0; turn < size / DEPTH; turn++) {
    const uint32_t at = turn % STAGES;
    wait(&s.empty[at], (turn / STAGES & 1) ^ 1);
    expect_bytes_and_arrive(&s.full[at], sizeof(stage));
    cp_async_bulk_tensor_2d_global_to_shared(s.stages[at].a, a, turn * DEPTH, blockIdx.y * ROWS, &s.full[at]);
    cp_async_bulk_tensor_2d_global_to_shared(s.stages[at].b, b, turn * DEPTH, blockIdx.x * COLUMNS,
                                             &s.full[at]);
  }
}

__device__ static void multiply_tiles(storage &s, float (&d)[64], uint32_t half, uint32_t size) {
  for (uint32_t turn = 0; turn < size / DEPTH; turn++) {
    const uint32_t at = turn % STAGES, before = (turn + STAGES - 1) % STAGES;
    wait(&s.full[at], turn / STAGES & 1);
    const uint64_t a = descriptor(s.stages[at].a + half * 64 * DEPTH), b = descriptor(s.stages[at].b);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (uint32_t k = 0; k < DEPTH / 16; k++)
      multiply(d, a + 2 * k, b + 2 * k, turn + k > 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (turn > 0 && threadIdx.x % GROUP == 0) arrive(&s.empty[before]);
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__global__ void __launch_bounds__(GROUP *(1 + CONSUMERS), 1)
    kernel(float *out, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
           uint32_t size) {
  extern __shared__ __align__(1024) unsigned char raw[];
  storage &s = *reinterpret_cast<storage *>(raw);
  const uint32_t group = threadIdx.x / GROUP;
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < STAGES; i++) {
      init_barrier(&s.full[i], 1);
      init_barrier(&s.empty[i], CONSUMERS);
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) load_tiles(s, &a, &b, size);
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[64];
  multiply_tiles(s, d, group - 1, size);
  const uint32_t lane = threadIdx.x % 32, row = (group - 1) * 64 + threadIdx.x % GROUP / 32 * 16 + lane / 4;
  float *tile = out + (size_t{blockIdx.y} * ROWS + row) * size + blockIdx.x * COLUMNS + lane % 4 * 2;
  for (uint32_t i = 0; i < 64; i += 4) {
    *reinterpret_cast<float2 *>(tile + i * 2) = make_float2(d[i], d[i + 1]);
    *reinterpret_cast<float2 *>(tile + size_t{8} * size + i * 2) = make_float2(d[i + 2], d[i + 3]);
  }
}

#undef MATMUL_8

static CUtensorMap map_of(const uint16_t *matrix, uint32_t size, uint32_t box_rows) {
  CUtensorMap map;
  struct tensor_map_options o = TENSOR_MAP_NO_OPTIONS;
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  o.rank = 2;
  o.global_address = matrix;
  o.global_dim[0] = o.global_dim[1] = size;
  o.global_strides[0] = size * sizeof *matrix;
  o.box_dim[0] = DEPTH;
  o.box_dim[1] = box_rows;
  o.swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  return map;
}

static int value(uint32_t row, uint32_t column, uint32_t salt) { // so small that every sum is exact
  return static_cast<int>((row * 7 + column * 13 + row * column + salt) % 17) - 8;
}

static uint16_t bfloat(int whole) { // of at most 8 bits
  const float value = static_cast<float>(whole);
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return static_cast<uint16_t>(bits >> 16);
}

int main() {
  const uint32_t size = SIZE;
  guarded<uint16_t> a(size_t{size} * size), b(size_t{size} * size);
  guarded<float> out(size_t{size} * size);
  std::vector<uint16_t> of_a(size_t{size} * size), of_b(size_t{size} * size);
  for (uint32_t row = 0; row < size; row++)
    for (uint32_t k = 0; k < size; k++) {
      of_a[size_t{row} * size + k] = bfloat(value(row, k, 1));
      of_b[size_t{row} * size + k] = bfloat(value(row, k, 2));
    }
  a.set(of_a);
  b.set(of_b);
  const int bytes = static_cast<int>(sizeof(storage));
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<dim3(size / COLUMNS, size / ROWS), GROUP *(1 + CONSUMERS), bytes>>>(
      out.data(), map_of(a.data(), size, ROWS), map_of(b.data(), size, COLUMNS), size);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = out.get();
  for (uint32_t row = 0; row < size; row++) {
    for (uint32_t column = 0; column < size; column++) {
      int right = 0;
      for (uint32_t k = 0; k < size; k++)
        right += value(row, k, 1) * value(column, k, 2);
      const float is = got[size_t{row} * size + column];
      if (!check_that(is == static_cast<float>(right), "[%u][%u] is %g, not %d", row, column, is, right))
        return self_check_result();
    }
  }
  a.check_bands("a");
  b.check_bands("b");
  out.check_bands("out");
  return self_check_result();
}
