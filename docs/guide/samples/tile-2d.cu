// In: a matrix of 20 x 10 floats. Out: boxes of 16 x 8 that hang over its corners, loaded and stored.
#include "sample.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t WIDTH = 20, HEIGHT = 10, BOX_WIDTH = 16, BOX_HEIGHT = 8;

// [kernel]
__global__ void copy_box(const __grid_constant__ CUtensorMap from,
                         const __grid_constant__ CUtensorMap to, int from_x, int from_y,
                         int to_x, int to_y) {
  __shared__ alignas(128) float box[BOX_HEIGHT][BOX_WIDTH];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&loaded, sizeof box); // the whole box, whatever hangs over
    cp_async_bulk_tensor_2d_global_to_shared(box, &from, from_x, from_y, &loaded);
    wait(&loaded, 0);
    cp_async_bulk_tensor_2d_shared_to_global(&to, to_x, to_y, box);
    tma_commit_group();
    tma_wait_until_read_pending<0>();
  }
}
// [/kernel]

int main() {
  float *in = managed_array<float>(WIDTH * HEIGHT),
        *out = managed_array<float>(WIDTH * HEIGHT);
  for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
    in[i] = 1.0f + static_cast<float>(i);
    out[i] = -1;
  }
  // [encode]
  CUtensorMap from, to;
  CUDA_CHECK(tensor_map_encode_2d(&from, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, in, WIDTH, HEIGHT,
                                  WIDTH * sizeof(float), BOX_WIDTH, BOX_HEIGHT));
  CUDA_CHECK(tensor_map_encode_2d(&to, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, out, WIDTH, HEIGHT,
                                  WIDTH * sizeof(float), BOX_WIDTH, BOX_HEIGHT));
  // [/encode]
  // Loaded over the upper left corner, stored over the lower right one.
  copy_box<<<1, 32>>>(from, to, -4, -2, 8, 4);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int y = 0; y < static_cast<int>(HEIGHT); y++)
    for (int x = 0; x < static_cast<int>(WIDTH); x++) {
      const int box_x = x - 8, box_y = y - 4; // where in the box
      const int in_x = box_x - 4, in_y = box_y - 2;
      const float expected = box_x < 0 || box_y < 0 ? -1 // not part of the store
                             : in_x < 0 || in_y < 0 || in_x >= static_cast<int>(WIDTH)
                                 ? 0
                                 : in[in_y * WIDTH + in_x];
      EXPECT_EQUAL(out[y * WIDTH + x], expected, y * WIDTH + x);
    }
  puts("ok");
}
