// In: a kernel's launch, and what each element of its output should be. Out: `ok` and 0, or the first
// difference and 1. The idea: the kernels of this folder are correct and small. What all of them need besides
// the kernel is here.
#ifndef TMA_LAB_TESTS_CORPUS_H
#define TMA_LAB_TESTS_CORPUS_H

#include "../programs/self-check.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t CORPUS_BLOCKS = 4, CORPUS_TILE = 256; // ints in a tile: 1 KiB

// Launches launch(out, in) on `count` ints and compares out[i] with expected(in, i).
template <class launch_function, class expected_function>
static int corpus_check(size_t count, launch_function launch, expected_function expected) {
  guarded<int> in(count), out(count);
  std::vector<int> values(count);
  for (size_t i = 0; i < count; i++)
    values[i] = static_cast<int>(i * 7 + 3);
  in.set(values);
  CUDA_CHECK(cudaMemset(out.data(), 0, out.bytes()));
  launch(out.data(), in.data());
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = out.get();
  for (size_t i = 0; i < count; i++) {
    const int right = expected(values, i);
    if (!check_that(got[i] == right, "[%zu] is %d, not %d", i, got[i], right)) break;
  }
  in.check_bands("in");
  out.check_bands("out");
  return self_check_result();
}

static inline int corpus_plus_one(const std::vector<int> &in, size_t i) {
  return in[i] + 1;
}

// A map of a matrix of ints, for boxes of box_width by box_height.
static inline CUtensorMap corpus_map(const int *matrix, uint64_t width, uint64_t height, uint32_t box_width,
                                     uint32_t box_height,
                                     CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
  CUtensorMap map;
  struct tensor_map_options o = TENSOR_MAP_NO_OPTIONS;
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  o.rank = 2;
  o.global_address = matrix;
  o.global_dim[0] = width;
  o.global_dim[1] = height;
  o.global_strides[0] = width * sizeof(int);
  o.box_dim[0] = box_width;
  o.box_dim[1] = box_height;
  o.swizzle = swizzle;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  return map;
}

#endif
