// In: nothing. Out: `ok` if a tensor map works as a parameter, in __constant__ memory and in global memory,
// the latter both copied there by the host and by a kernel. The idea: four kernels load the same box; only
// where the map lives differs.
#include "self-check.h"
#include "tensor-map.h"
#include "tma-interface.cuh"

constexpr uint32_t WIDTH = 100, HEIGHT = 40, BOX_WIDTH = 32, BOX_HEIGHT = 8;
constexpr int32_t BOX_X = 84, BOX_Y = -3; // over the right and the upper edge

__constant__ CUtensorMap constant_map;

__device__ static void load_box(int32_t *box_out, const CUtensorMap *map) {
  __shared__ alignas(128) int32_t box[BOX_HEIGHT * BOX_WIDTH];
  __shared__ uint64_t loaded;
  if (threadIdx.x == 0) {
    init_barrier(&loaded, 1);
    async_proxy_fence();
    expect_bytes_and_arrive(&loaded, sizeof box);
    cp_async_bulk_tensor_2d_global_to_shared(box, map, BOX_X, BOX_Y, &loaded);
  }
  __syncthreads();
  wait(&loaded, 0);
  for (uint32_t i = threadIdx.x; i < BOX_HEIGHT * BOX_WIDTH; i += blockDim.x)
    box_out[i] = box[i];
}

// 1. A parameter: __grid_constant__ keeps it where it is, in the parameters, instead of in each thread's
// stack.
__global__ void from_parameter(int32_t *out, const __grid_constant__ CUtensorMap map) {
  if (threadIdx.x == 0) prefetch_tensormap(&map);
  load_box(out, &map);
}

// 2. __constant__ memory: for a map that many kernels share.
__global__ void from_constant(int32_t *out) {
  if (threadIdx.x == 0) prefetch_tensormap(&constant_map);
  load_box(out, &constant_map);
}

// 3. Global memory, written by the host: its copy went another way than the copy engine's, hence the fence.
__global__ void from_global(int32_t *out, const CUtensorMap *map) {
  if (threadIdx.x == 0) fence_proxy_tensormap_acquire_sys(map);
  load_box(out, map);
}

// 4. Global memory, written on the device: a warp publishes its copy in shared memory, and another block uses
// it.
__global__ void publish_map(CUtensorMap *map_out, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) CUtensorMap copy;
  if (threadIdx.x == 0) copy = map;
  __syncwarp();
  tensormap_copy_and_release(map_out, &copy);
}
// The same with ordinary stores, and a release for this GPU or for everybody.
__global__ void store_map(CUtensorMap *map_out, const __grid_constant__ CUtensorMap map, bool for_everybody) {
  *map_out = map;
  if (for_everybody)
    fence_proxy_tensormap_release_sys();
  else
    fence_proxy_tensormap_release_gpu();
}
__global__ void from_published(int32_t *out, const CUtensorMap *map) {
  if (threadIdx.x == 0) fence_proxy_tensormap_acquire_gpu(map);
  load_box(out, map);
}

static void check_box(const char *way, const guarded<int32_t> &out) {
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int32_t> got = out.get();
  for (uint32_t i = 0; i < got.size(); i++) {
    const int64_t x = BOX_X + static_cast<int64_t>(i % BOX_WIDTH),
                  y = BOX_Y + static_cast<int64_t>(i / BOX_WIDTH);
    const int32_t expected = x < WIDTH && y >= 0 ? static_cast<int32_t>(1000 * y + x + 1) : 0;
    if (!check_that(got[i] == expected, "%s: box[%u] is %d, not %d", way, i, got[i], expected)) break;
  }
  out.check_bands(way);
}

int main() {
  guarded<int32_t> matrix(WIDTH * HEIGHT);
  std::vector<int32_t> values(matrix.count);
  for (uint32_t i = 0; i < values.size(); i++)
    values[i] = static_cast<int32_t>(1000 * (i / WIDTH) + i % WIDTH + 1);
  matrix.set(values);
  CUtensorMap map;
  CUDA_CHECK(tensor_map_encode_2d(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, matrix.data(), WIDTH, HEIGHT,
                                  WIDTH * 4, BOX_WIDTH, BOX_HEIGHT));
  {
    guarded<int32_t> out(BOX_WIDTH * BOX_HEIGHT);
    from_parameter<<<1, 64>>>(out.data(), map);
    check_box("parameter", out);
  }
  {
    guarded<int32_t> out(BOX_WIDTH * BOX_HEIGHT);
    CUDA_CHECK(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
    from_constant<<<1, 64>>>(out.data());
    check_box("__constant__", out);
  }
  CUtensorMap *global_map;
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void **>(&global_map), sizeof map));
  {
    guarded<int32_t> out(BOX_WIDTH * BOX_HEIGHT);
    CUDA_CHECK(cudaMemcpy(global_map, &map, sizeof map, cudaMemcpyHostToDevice));
    from_global<<<1, 64>>>(out.data(), global_map);
    check_box("global, from the host", out);
  }
  {
    guarded<int32_t> out(BOX_WIDTH * BOX_HEIGHT);
    CUDA_CHECK(cudaMemset(global_map, 0, sizeof map));
    publish_map<<<1, 32>>>(global_map, map);
    from_published<<<1, 64>>>(out.data(), global_map);
    check_box("global, from a kernel", out);
  }
  for (const bool for_everybody : {false, true}) {
    guarded<int32_t> out(BOX_WIDTH * BOX_HEIGHT);
    CUDA_CHECK(cudaMemset(global_map, 0, sizeof map));
    store_map<<<1, 1>>>(global_map, map, for_everybody);
    from_published<<<1, 64>>>(out.data(), global_map);
    check_box(for_everybody ? "global, released to everybody" : "global, released to the GPU", out);
  }
  CUDA_CHECK(cudaFree(global_map));
  return self_check_result();
}
