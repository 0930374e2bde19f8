// One map from three places: a __grid_constant__ parameter, __constant__ memory, global memory; with
// prefetches of map and tile.
#include "conformance.cuh"

static __constant__ CUtensorMap constant_map;
static __device__ CUtensorMap global_map;

static __global__ void load_from(const __grid_constant__ CUtensorMap parameter, const CUtensorMap *pointer,
                                 int place, uint32_t *memory) {
  __shared__ uint64_t bar;
  uint8_t *area = tile_area();
  const CUtensorMap *map = place == 0   ? &parameter
                           : place == 1 ? &constant_map
                           : place == 2 ? &global_map
                                        : pointer;
  if (threadIdx.x == 0) barrier_init(&bar, 1);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (place >= 2)
      asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" : : "l"(map) : "memory");
    asm volatile("prefetch.tensormap [%0];" : : "l"(map) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];"
                 :
                 : "l"(map), "r"(8), "r"(4)
                 : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_address(&bar)), "r"(256)
                 : "memory");
    const int32_t coordinates[2] = {8, 4};
    tensor_load(2, shared_address(area), map, shared_address(&bar), coordinates);
  }
  barrier_wait(&bar, 0);
  memory[threadIdx.x] = reinterpret_cast<uint32_t *>(area)[threadIdx.x];
}

int main() {
  device_bytes tensor(4096), memory(256), pointer(128);
  std::vector<uint8_t> contents = numbered(4096, 4), shown(256);
  MUST(cudaMemcpy(tensor.at, contents.data(), contents.size(), cudaMemcpyHostToDevice));
  tensor_case c = {"map", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, 2, {32, 32}, {}, {8, 8}};
  complete(c);
  alignas(64) CUtensorMap map;
  if (encode(c, tensor.at, &map) != CUDA_SUCCESS) return 1;
  MUST(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
  MUST(cudaMemcpyToSymbol(global_map, &map, sizeof map));
  MUST(cudaMemcpy(pointer.at, &map, sizeof map, cudaMemcpyHostToDevice));
  for (int place = 0; place < 4; place++) {
    MUST(cudaMemset(memory.at, 0, 256));
    load_from<<<1, 64, 4096>>>(map, reinterpret_cast<CUtensorMap *>(pointer.at), place,
                               reinterpret_cast<uint32_t *>(memory.at));
    MUST(cudaMemcpy(shown.data(), memory.at, 256, cudaMemcpyDeviceToHost));
    const char *const names[] = {"parameter", "constant", "global variable", "allocation"};
    show(names[place], shown.data(), 256);
  }
}
