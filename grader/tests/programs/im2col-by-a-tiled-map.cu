// A load of im2col mode by a map that was encoded for tiles.
// expect: fault bad-tensor-map
#include "self-check.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

__global__ void kernel(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int tile[64];
  __shared__ uint64_t bar;
  init_barrier(&bar, 1);
  fence_mbarrier_init();
  expect_bytes_and_arrive(&bar, sizeof tile);
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
               "[%0], [%1, {0, 0, 0}], [%2], {%3};" ::"r"(tma_shared_address(tile)),
               "l"(&map), "r"(tma_shared_address(&bar)), "h"(static_cast<uint16_t>(0))
               : "memory");
  wait(&bar, 0);
}

int main() {
  int *images;
  CUDA_CHECK(cudaMalloc(&images, 4096 * sizeof(int)));
  CUtensorMap map;
  struct tensor_map_options o = TENSOR_MAP_NO_OPTIONS;
  o.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  o.rank = 3;
  o.global_address = images;
  for (int i = 0; i < 3; i++) {
    o.global_dim[i] = 16;
    o.box_dim[i] = 4;
  }
  o.global_strides[0] = 64;
  o.global_strides[1] = 1024;
  CUDA_CHECK(tensor_map_encode(&map, &o));
  kernel<<<1, 1>>>(map);
  return cudaDeviceSynchronize() == cudaSuccess;
}
