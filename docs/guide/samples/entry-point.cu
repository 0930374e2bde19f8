// In: a matrix. Out: one box of it, through a map that is encoded by the driver's own function. The program
// isn't linked with the driver: it asks the runtime for the function's address.
#include "sample.h"
#include "tma-interface.cuh"

constexpr uint32_t WIDTH = 64, HEIGHT = 16, BOX = 16;

// [find]
typedef CUresult (*encode_tiled)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                 const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                 const cuuint32_t *, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion,
                                 CUtensorMapFloatOOBfill);

static encode_tiled find_encode_tiled() {
  void *function = NULL;
  cudaDriverEntryPointQueryResult found;
  CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                              cudaEnableDefault, &found));
  return found == cudaDriverEntryPointSuccess ? reinterpret_cast<encode_tiled>(function)
                                              : NULL;
}
// [/find]

__global__ void load_box(int *out, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int box[BOX][BOX];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&loaded, sizeof box);
    cp_async_bulk_tensor_2d_global_to_shared(box, &map, 16, 0, &loaded);
  }
  __syncthreads();
  wait(&loaded, 0);
  for (uint32_t i = threadIdx.x; i < BOX * BOX; i += blockDim.x)
    out[i] = box[i / BOX][i % BOX];
}

int main() {
  int *matrix = managed_array<int>(WIDTH * HEIGHT), *out = managed_array<int>(BOX * BOX);
  for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
    matrix[i] = static_cast<int>(i);
  const encode_tiled encode = find_encode_tiled();
  if (encode == NULL) return 1;
  // [call]
  CUtensorMap map;
  const cuuint64_t dim[2] = {WIDTH, HEIGHT}, stride[1] = {WIDTH * sizeof(int)};
  const cuuint32_t box[2] = {BOX, BOX}, every[2] = {1, 1};
  CUDA_CHECK(encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, dim, stride, box, every,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  // [/call]
  load_box<<<1, 64>>>(out, map);
  CUDA_CHECK(cudaDeviceSynchronize());
  for (uint32_t i = 0; i < BOX * BOX; i++)
    EXPECT_EQUAL(out[i], matrix[i / BOX * WIDTH + 16 + i % BOX], i);
  puts("ok");
}
