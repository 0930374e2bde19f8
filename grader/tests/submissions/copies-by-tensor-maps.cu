// submission: 4-store-commit-groups
// expect: exit 0
// An honest solution: one-dimensional tensor copies, whose maps the driver encodes, and a ring of eight
// stages.
#include "lab9.h"
#include "tma-interface.cuh"
#include <cuda.h>
#include <cudaTypedefs.h>
constexpr int ST = 8;
constexpr unsigned TILE = 256;
__global__ void k(const __grid_constant__ CUtensorMap o, const __grid_constant__ CUtensorMap in,
                  unsigned tiles, float a, float b) {
  __shared__ alignas(128) float st[ST][TILE];
  __shared__ uint64_t full[ST];
  auto load = [&](unsigned n) {
    unsigned t = blockIdx.x + n * gridDim.x;
    if (t < tiles) {
      expect_bytes_and_arrive(&full[n % ST], TILE * 4);
      cp_async_bulk_tensor_1d_global_to_shared(st[n % ST], &in, (int)(t * TILE), &full[n % ST]);
    }
  };
  if (threadIdx.x == 0) {
    for (auto &f : full)
      init_barrier(&f, 1);
    async_proxy_fence();
    for (int n = 0; n < ST; n++)
      load(n);
  }
  __syncthreads();
  unsigned n = 0;
  for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x, n++) {
    wait(&full[n % ST], n / ST & 1);
    st[n % ST][threadIdx.x] = a * st[n % ST][threadIdx.x] + b;
    async_proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      cp_async_bulk_tensor_1d_shared_to_global(&o, (int)(t * TILE), st[n % ST]);
      tma_commit_group();
      if (n >= 3) {
        tma_wait_until_read_pending<3>();
        load(n - 3 + ST);
      }
    }
  }
  if (threadIdx.x == 0) tma_wait_until_read_pending<0>();
}
extern "C" cudaError_t launch_store_commit_groups(float *out, const float *in, size_t count, float a, float b,
                                                  cudaStream_t stream) {
  void *found = nullptr;
  cudaDriverEntryPointQueryResult how;
  cudaError_t e =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &how);
  if (e || how != cudaDriverEntryPointSuccess) return cudaErrorUnknown;
  auto encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
  CUtensorMap mi, mo;
  cuuint64_t dim[1] = {count}, strides[1] = {0}; // rank 1 has none, but the driver wants an address
  cuuint32_t box[1] = {TILE}, es[1] = {1};
  if (encode(&mi, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, (void *)in, dim, strides, box, es,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
    return cudaErrorInvalidValue;
  if (encode(&mo, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, out, dim, strides, box, es,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
    return cudaErrorInvalidValue;
  unsigned tiles = (unsigned)((count + TILE - 1) / TILE);
  const unsigned blocks = tiles < 264 ? tiles : 264;
  k<<<blocks, TILE, 0, stream>>>(mo, mi, tiles, a, b);
  return cudaGetLastError();
}
