// Loads of im2col mode, as convolutions use them, against the pixels that a filter visits, counted on the
// host. Images with one, two and three dimensions beside channels and number; padding, strides, offsets; a
// column that begins anywhere and goes on past the last image; plain and swizzled.
// target: sm_90a
#include "self-check.h"
#include "tma-interface.cuh"

#include <cuda.h>

#include <cstdint>
#include <vector>

constexpr int MOST = 3, PIXELS = 24, CHANNELS = 8, FIRST_CHANNEL = 4, ALL_CHANNELS = 16;

struct convolution {
  int rank;                                                  // 3 to 5
  int size[MOST], images;                                    // of an image: W, H, D
  int filter[MOST], stride[MOST], before[MOST], after[MOST]; // before, after: padding
  CUtensorMapSwizzle swizzle;
};

struct filter_place { // of a copy
  int base[MOST], image, offset[MOST];
};

template <int RANK>
__device__ static void load(void *tile, const CUtensorMap *map, uint64_t *bar, const filter_place &p) {
  const uint32_t to = tma_shared_address(tile), barrier = tma_shared_address(bar);
  const auto off = [&](int i) { return static_cast<uint16_t>(p.offset[i]); };
  if constexpr (RANK == 3)
    asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.im2col [%1, {%3, %4, %5}], {%6};\n"
                 "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5}], [%2], {%6};" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(FIRST_CHANNEL), "r"(p.base[0]), "r"(p.image), "h"(off(0))
                 : "memory");
  if constexpr (RANK == 4)
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%3, %4, %5, %6}], [%2], {%7, %8};" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(FIRST_CHANNEL), "r"(p.base[0]), "r"(p.base[1]), "r"(p.image),
                 "h"(off(0)), "h"(off(1))
                 : "memory");
  if constexpr (RANK == 5)
    asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                 ".multicast::cluster [%0], [%1, {%3, %4, %5, %6, %7}], [%2], {%8, %9, %10}, %11;" ::"r"(to),
                 "l"(map), "r"(barrier), "r"(FIRST_CHANNEL), "r"(p.base[0]), "r"(p.base[1]), "r"(p.base[2]),
                 "r"(p.image), "h"(off(0)), "h"(off(1)), "h"(off(2)), "h"(static_cast<uint16_t>(1))
                 : "memory");
}

template <int RANK>
__global__ void kernel(int *out, const __grid_constant__ CUtensorMap map, filter_place place) {
  __shared__ alignas(1024) int tile[PIXELS * CHANNELS];
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) {
    init_barrier(&bar, 1);
    fence_mbarrier_init();
    expect_bytes_and_arrive(&bar, sizeof tile);
    load<RANK>(tile, &map, &bar, place);
  }
  __syncthreads();
  wait(&bar, 0);
  for (int i = threadIdx.x; i < PIXELS * CHANNELS; i += blockDim.x)
    out[i] = tile[i];
}

static int outputs(const convolution &c, int i) {
  return (c.size[i] + c.before[i] + c.after[i] - c.filter[i]) / c.stride[i] + 1;
}

static CUtensorMap map_of(const convolution &c, int *images) {
  cuuint64_t size[5] = {ALL_CHANNELS}, stride[4];
  cuuint32_t step[5] = {1, 1, 1, 1, 1};
  int lower[MOST], upper[MOST];
  for (int i = 0; i < c.rank - 2; i++) {
    size[i + 1] = c.size[i];
    step[i + 1] = c.stride[i];
    lower[i] = -c.before[i];
    upper[i] = c.after[i] - (c.filter[i] - 1);
  }
  size[c.rank - 1] = c.images;
  for (int i = 0; i + 1 < c.rank; i++)
    stride[i] = i ? stride[i - 1] * size[i] : ALL_CHANNELS * sizeof(int);
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &function, 12000, cudaEnableDefault,
                                              &found));
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeIm2col)>(function);
  CUtensorMap map;
  const CUresult status = encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, c.rank, images, size, stride, lower,
                                 upper, CHANNELS, PIXELS, step, CU_TENSOR_MAP_INTERLEAVE_NONE, c.swizzle,
                                 CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  check_that(status == CUDA_SUCCESS, "cuTensorMapEncodeIm2col: %d", static_cast<int>(status));
  return map;
}

// What a pixel of the column has in a channel: the column's pixels are the filter's places in their order.
static int pixel(const convolution &c, const std::vector<int> &images, int number, const int *offset,
                 int channel) {
  size_t at = 0, scale = 1;
  for (int i = 0; i < c.rank - 2; i++) {
    const int x = number % outputs(c, i) * c.stride[i] - c.before[i] + offset[i];
    number /= outputs(c, i);
    if (x < 0 || x >= c.size[i]) return 0;
    at += x * scale;
    scale *= c.size[i];
  }
  return number < c.images ? images[(at + number * scale) * ALL_CHANNELS + channel] : 0;
}

template <int RANK> static void try_place(const convolution &c, int first, const int *offset) {
  int total = c.images, *memory, *out;
  for (int i = 0; i < RANK - 2; i++)
    total *= c.size[i];
  std::vector<int> images(static_cast<size_t>(total) * ALL_CHANNELS), got(PIXELS * CHANNELS);
  for (size_t i = 0; i < images.size(); i++)
    images[i] = static_cast<int>(i) + 1;
  CUDA_CHECK(cudaMalloc(&memory, images.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&out, got.size() * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(memory, images.data(), images.size() * sizeof(int), cudaMemcpyHostToDevice));
  filter_place place = {};
  int rest = first;
  for (int i = 0; i < RANK - 2; i++) {
    place.base[i] = rest % outputs(c, i) * c.stride[i] - c.before[i];
    place.offset[i] = offset[i];
    rest /= outputs(c, i);
  }
  place.image = rest;
  kernel<RANK><<<1, 64>>>(out, map_of(c, memory), place);
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < PIXELS * CHANNELS; i++) {
    const int byte = i * 4, atom = c.swizzle == CU_TENSOR_MAP_SWIZZLE_32B ? byte >> 3 & 16 : 0;
    const int right = pixel(c, images, first + i / CHANNELS, offset, FIRST_CHANNEL + i % CHANNELS);
    if (!check_that(got[(byte ^ atom) / 4] == right,
                    "rank %d, from %d, offsets %d %d %d: pixel %d, channel %d is %d, not %d", RANK, first,
                    offset[0], offset[1], offset[2], i / CHANNELS, i % CHANNELS, got[(byte ^ atom) / 4],
                    right))
      break;
  }
  CUDA_CHECK(cudaFree(memory));
  CUDA_CHECK(cudaFree(out));
}

int main() {
  const CUtensorMapSwizzle none = CU_TENSOR_MAP_SWIZZLE_NONE, swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
  static const int offsets[][MOST] = {{0, 0, 0}, {2, 1, 1}, {1, 2, 0}};
  for (const auto &offset : offsets) {
    for (const int first : {0, 5, 40}) {
      try_place<3>({3, {17}, 3, {3}, {1}, {1}, {1}, none}, first, offset);
      try_place<3>({3, {15}, 3, {3}, {2}, {1}, {1}, swizzle}, first / 3, offset);
      try_place<4>({4, {9, 7}, 2, {3, 3}, {1, 1}, {1, 1}, {1, 1}, none}, first, offset);
      try_place<4>({4, {9, 7}, 2, {3, 3}, {2, 1}, {1, 0}, {1, 2}, swizzle}, first, offset);
      try_place<5>({5, {5, 4, 3}, 2, {3, 3, 2}, {1, 2, 1}, {1, 1, 0}, {1, 1, 0}, none}, first, offset);
    }
  }
  return self_check_result();
}
