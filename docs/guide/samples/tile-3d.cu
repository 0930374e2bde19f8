// In: a tensor of three dimensions. Out: every second plane of a box of it. All options of a
// tensor map by name.
#include "sample.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t NX = 8, NY = 6, NZ = 9, BOX_X = 4, BOX_Y = 2, BOX_Z = 6, EVERY = 2,
                   PLANES = 3;

__global__ void load_box(const __grid_constant__ CUtensorMap map, int *out) {
  __shared__ alignas(128) int box[PLANES][BOX_Y][BOX_X];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&loaded, sizeof box);
    cp_async_bulk_tensor_3d_global_to_shared(box, &map, 4, 1, 2, &loaded);
  }
  __syncthreads();
  wait(&loaded, 0);
  for (uint32_t i = threadIdx.x; i < sizeof box / sizeof(int); i += blockDim.x)
    out[i] = (&box[0][0][0])[i];
}

int main() {
  int *in = managed_array<int>(NX * NY * NZ),
      *out = managed_array<int>(PLANES * BOX_Y * BOX_X);
  for (uint32_t i = 0; i < NX * NY * NZ; i++)
    in[i] = static_cast<int>(i) + 1;
  // [encode]
  struct tensor_map_options options = TENSOR_MAP_NO_OPTIONS;
  options.data_type = CU_TENSOR_MAP_DATA_TYPE_INT32;
  options.rank = 3;
  options.global_address = in;
  options.global_dim[0] = NX; // elements; dimension 0 is the innermost
  options.global_dim[1] = NY;
  options.global_dim[2] = NZ;
  options.global_strides[0] = NX * sizeof(int);      // bytes from one row to the next
  options.global_strides[1] = NX * NY * sizeof(int); // bytes from one plane to the next
  options.box_dim[0] = BOX_X;
  options.box_dim[1] = BOX_Y;
  options.box_dim[2] = BOX_Z;         // the box spans 6 planes of the tensor ..
  options.element_strides[2] = EVERY; // .. and every second of them is copied: 3 arrive
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode(&map, &options));
  // [/encode]
  load_box<<<1, 32>>>(map, out);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t z = 0; z < PLANES; z++)
    for (uint32_t y = 0; y < BOX_Y; y++)
      for (uint32_t x = 0; x < BOX_X; x++)
        EXPECT_EQUAL(out[(z * BOX_Y + y) * BOX_X + x],
                     in[((2 + z * EVERY) * NY + 1 + y) * NX + 4 + x], z);
  puts("ok");
}
