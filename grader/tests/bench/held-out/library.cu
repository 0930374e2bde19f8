// The library's own kernels, as people call them: cub's sum, prefix sum, selection and sort, of words of
// 32 bits. The sort goes by the lowest p[0] bits.
#include "library.h"
#include "start.cuh"
#include <cub/cub.cuh>

struct small {
  __device__ bool operator()(uint32_t v) const { return v % 4 == 0; }
};

template <typename CALL> static void with_room(CALL call) {
  static void *room;
  static size_t has;
  size_t needs = 0;
  CUDA_CHECK(call(nullptr, needs));
  if (needs > has) {
    CUDA_CHECK(cudaFree(room));
    CUDA_CHECK(cudaMalloc(&room, needs));
    has = needs;
  }
  CUDA_CHECK(call(room, needs));
}

void run_cub(const job &j, library_call what) {
  const uint32_t *in = reinterpret_cast<const uint32_t *>(j.in);
  uint32_t *out = reinterpret_cast<uint32_t *>(j.out);
  const int count = static_cast<int>(j.quads * 4);
  switch (what) {
  case CUB_SUM:
    return with_room(
        [&](void *room, size_t &size) { return cub::DeviceReduce::Sum(room, size, in, out, count); });
  case CUB_SCAN:
    return with_room(
        [&](void *room, size_t &size) { return cub::DeviceScan::InclusiveSum(room, size, in, out, count); });
  case CUB_SELECT:
    return with_room([&](void *room, size_t &size) {
      return cub::DeviceSelect::If(room, size, in, out, j.counter, count, small());
    });
  default:
    return with_room([&](void *room, size_t &size) {
      return cub::DeviceRadixSort::SortKeys(room, size, in, out, count, 0, static_cast<int>(j.p[0]));
    });
  }
}
