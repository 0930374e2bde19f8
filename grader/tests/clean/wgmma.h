// For kernels with products of a warpgroup: elements, tiles, descriptors, groups, and where a sum belongs.
// All values are small whole numbers, so that every sum is exact. No include guard: the corpus puts each
// member into a namespace of its own, and each needs these names there.
#include "corpus.h"

__host__ __device__ static inline int value(uint32_t line, uint32_t k, uint32_t salt) {
  return static_cast<int>((line * 5 + k * 3 + line * k + salt) % 7) - 3;
}

__host__ __device__ static inline uint32_t as_bf16(int v) {
  const uint32_t magnitude = static_cast<uint32_t>(v < 0 ? -v : v), sign = v < 0 ? 0x8000 : 0;
  if (!magnitude) return 0;
  const uint32_t power = magnitude >= 4 ? 2 : magnitude >= 2 ? 1 : 0;
  return sign | (power + 127) << 7 | (magnitude << 7 >> power & 127);
}
__host__ __device__ static inline uint32_t as_tf32(int v) {
  return as_bf16(v) << 16;
}
__host__ __device__ static inline uint32_t as_f16(int v) {
  const uint32_t bits = as_bf16(v), magnitude = bits & 0x7fff;
  return magnitude ? (bits & 0x8000) | (magnitude - (112u << 7)) << 3 : 0;
}
__host__ __device__ static inline uint32_t as_e5m2(int v) {
  return as_f16(v) >> 8;
}
__host__ __device__ static inline uint32_t as_e4m3(int v) {
  const uint32_t bits = as_f16(v), magnitude = bits & 0x7fff;
  return magnitude ? bits >> 8 & 0x80 | (magnitude - (8u << 10)) >> 7 : 0;
}

// A tile without a swizzle: blocks of 8 lines by 16 bytes, side by side along a line of `line_bytes`.
__host__ __device__ static inline uint32_t place(uint32_t line, uint32_t byte, uint32_t line_bytes) {
  return line / 8 * 8 * line_bytes + byte / 16 * 128 + line % 8 * 16 + byte % 16;
}
// A tile whose lines are as long as its swizzle (128, 64, 32 bytes), and begins where its pattern does.
__host__ __device__ static inline uint32_t swizzled_place(uint32_t line, uint32_t byte, uint32_t swizzle) {
  const uint32_t at = line * swizzle + byte;
  return at ^ (at >> 7 & (swizzle / 16 - 1)) << 4;
}

// layout: 0 no swizzle, 1 128 bytes, 2 64 bytes, 3 32 bytes.
__device__ static inline uint64_t descriptor(const void *tile, uint32_t leading, uint32_t stride,
                                             uint32_t layout) {
  return (tma_shared_address(tile) & 0x3ffff) >> 4 | uint64_t{leading >> 4} << 16 |
         uint64_t{stride >> 4} << 32 | uint64_t{layout} << 62;
}

__device__ static inline void products_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ static inline void products_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int pending> __device__ static inline void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

// multiply(d, a, b, accumulate) for 8 columns. words: shape and types; constants: all that follow scale-d.
#define PRODUCT_OF_8(name, words, constants)                                                          \
  __device__ static inline void name(uint32_t(&d)[4], uint64_t a, uint64_t b, uint32_t accumulate) {  \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0;\n"                                            \
                 "wgmma.mma_async.sync.aligned." words " {%0, %1, %2, %3}, %4, %5, p" constants "; }" \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                     \
                 : "l"(a), "l"(b), "r"(accumulate));                                                  \
  }
// The same with A in registers.
#define PRODUCT_OF_FRAGMENT(name, words, constants)                                      \
  __device__ static inline void name(uint32_t(&d)[4], const uint32_t(&a)[4], uint64_t b, \
                                     uint32_t accumulate) {                              \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %9, 0;\n"                               \
                 "wgmma.mma_async.sync.aligned." words                                   \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p" constants "; }"            \
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                        \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate)); \
  }

// Row and column, of 64 by 8, of this thread's sum number i.
__device__ static inline uint32_t row_of(uint32_t i) {
  return threadIdx.x / 32 % 4 * 16 + threadIdx.x % 32 / 4 + i / 2 * 8;
}
__device__ static inline uint32_t column_of(uint32_t i) {
  return threadIdx.x % 4 * 2 + i % 2;
}
// Writes this thread's sums, of rows of `width` ints, as whole numbers.
__device__ static inline void write_floats(int *out, uint32_t width, const uint32_t (&d)[4]) {
  for (uint32_t i = 0; i < 4; i++)
    out[row_of(i) * width + column_of(i)] = static_cast<int>(__uint_as_float(d[i]));
}
__device__ static inline void write_ints(int *out, uint32_t width, const uint32_t (&d)[4]) {
  for (uint32_t i = 0; i < 4; i++)
    out[row_of(i) * width + column_of(i)] = static_cast<int>(d[i]);
}

// Row `row` of value(.., salt_a) times column `column` of value(.., salt_b), `depth` long.
static inline int right_sum(uint32_t row, uint32_t column, uint32_t depth, uint32_t salt_a, uint32_t salt_b) {
  int sum = 0;
  for (uint32_t k = 0; k < depth; k++)
    sum += value(row, k, salt_a) * value(column, k, salt_b);
  return sum;
}

// launch(out) fills rows * columns ints; right(row, column) says what they should be.
template <class launch_function, class right_function>
static int products_check(uint32_t rows, uint32_t columns, launch_function launch, right_function right) {
  guarded<int> out(size_t{rows} * columns);
  launch(out.data());
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = out.get();
  for (uint32_t i = 0; i < rows * columns; i++) {
    const int wanted = right(i / columns, i % columns);
    if (!check_that(got[i] == wanted, "[%u][%u] is %d, not %d", i / columns, i % columns, got[i], wanted))
      break;
  }
  out.check_bands("out");
  return self_check_result();
}

// A map of a matrix with elements of 1, 2 or 4 bytes whose lines are `width` elements long.
static inline CUtensorMap tile_map(const void *matrix, uint32_t element_bytes, uint64_t width,
                                   uint64_t height, uint32_t box_width, uint32_t box_height,
                                   CUtensorMapSwizzle swizzle) {
  CUtensorMap map;
  struct tensor_map_options o = TENSOR_MAP_NO_OPTIONS;
  o.data_type = element_bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                : element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
                                     : CU_TENSOR_MAP_DATA_TYPE_UINT32;
  o.rank = 2;
  o.global_address = matrix;
  o.global_dim[0] = width;
  o.global_dim[1] = height;
  o.global_strides[0] = width * element_bytes;
  o.box_dim[0] = box_width;
  o.box_dim[1] = box_height;
  o.swizzle = swizzle;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  return map;
}
