// target: sm_90a
// tensormap.replace of every field, on a copy of a map in shared memory; published by cp_fenceproxy and used
// from global memory, and on a map that lies in global memory.
#include "conformance.cuh"

static __device__ void load_2d(uint32_t to, const void *map, uint32_t bar, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3}], [%4];"
               :
               : "r"(to), "l"(map), "r"(x), "r"(y), "r"(bar)
               : "memory");
}

#define REPLACE(field, type, value)                                                     \
  asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." #type " [%0], %1;" \
               :                                                                        \
               : "r"(at), value                                                         \
               : "memory")
#define REPLACE_AT(field, ordinal, type, value)                                                       \
  asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." #type " [%0], " #ordinal ", %1;" \
               :                                                                                      \
               : "r"(at), value                                                                       \
               : "memory")

// Turns the map of a 3d tensor of bytes into one of a 2d tensor of floats with a pitch of 128 bytes, every
// second row, NaN fill, 64-byte swizzle.
static __device__ void rewrite(uint32_t at, const void *tensor) {
  REPLACE("global_address", b64, "l"(tensor));
  REPLACE("rank", b32, "r"(1));
  REPLACE_AT("global_dim", 0, b32, "r"(19));
  REPLACE_AT("global_dim", 1, b32, "r"(21));
  REPLACE_AT("global_stride", 0, b64, "l"(128ull));
  REPLACE_AT("box_dim", 0, b32, "r"(16));
  REPLACE_AT("box_dim", 1, b32, "r"(8));
  REPLACE_AT("element_stride", 0, b32, "r"(1));
  REPLACE_AT("element_stride", 1, b32, "r"(2));
  REPLACE("elemtype", b32, "n"(7));
  REPLACE("interleave_layout", b32, "n"(0));
  REPLACE("swizzle_mode", b32, "n"(2));
  REPLACE("fill_mode", b32, "n"(1));
}

static __global__ void through_shared(const __grid_constant__ CUtensorMap source, const void *tensor,
                                      CUtensorMap *published, uint32_t *memory) {
  __shared__ alignas(128) CUtensorMap copy;
  __shared__ uint64_t bar;
  uint8_t *area = tile_area();
  for (uint32_t i = threadIdx.x; i < 512; i += blockDim.x)
    reinterpret_cast<uint32_t *>(area)[i] = poison;
  if (threadIdx.x < 16)
    reinterpret_cast<uint64_t *>(&copy)[threadIdx.x] =
        reinterpret_cast<const uint64_t *>(&source)[threadIdx.x];
  if (threadIdx.x == 0) barrier_init(&bar, 1);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) rewrite(shared_address(&copy), tensor);
  __syncwarp();
  if (threadIdx.x < 32)
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                 "[%0], [%1], 128;"
                 :
                 : "l"(published), "r"(shared_address(&copy))
                 : "memory");
  if (threadIdx.x == 0) {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" : : "l"(published) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_address(&bar)), "r"(16 * 4 * 4)
                 : "memory");
    load_2d(shared_address(area), published, shared_address(&bar), 8, 15);
  }
  barrier_wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < 512; i += blockDim.x)
    memory[i] = reinterpret_cast<uint32_t *>(area)[i];
}

// The address alone, of a map in global memory; used after a fence by the same thread.
static __global__ void in_global(CUtensorMap *map, const void *tensor, uint32_t *memory) {
  __shared__ uint64_t bar;
  uint8_t *area = tile_area();
  for (uint32_t i = threadIdx.x; i < 512; i += blockDim.x)
    reinterpret_cast<uint32_t *>(area)[i] = poison;
  if (threadIdx.x == 0) barrier_init(&bar, 1);
  fence_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("tensormap.replace.tile.global_address.global.b1024.b64 [%0], %1;"
                 :
                 : "l"(map), "l"(tensor)
                 : "memory");
    asm volatile("fence.proxy.tensormap::generic.release.gpu;" ::: "memory");
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" : : "l"(map) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_address(&bar)), "r"(16 * 4 * 4)
                 : "memory");
    load_2d(shared_address(area), map, shared_address(&bar), 4, 3);
  }
  barrier_wait(&bar, 0);
  for (uint32_t i = threadIdx.x; i < 512; i += blockDim.x)
    memory[i] = reinterpret_cast<uint32_t *>(area)[i];
}

int main() {
  device_bytes tensor(1 << 16), published(128), memory(4096);
  std::vector<uint8_t> contents = numbered(1 << 16, 4), shown(2048);
  MUST(cudaMemcpy(tensor.at, contents.data(), contents.size(), cudaMemcpyHostToDevice));
  tensor_case bytes = {"bytes", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 3, {64, 4, 4}, {}, {32, 2, 2}, {1, 1, 3}};
  complete(bytes);
  alignas(64) CUtensorMap map;
  if (encode(bytes, tensor.at + 4096, &map) != CUDA_SUCCESS) return 1;
  through_shared<<<1, 64, 8192>>>(map, tensor.at, reinterpret_cast<CUtensorMap *>(published.at),
                                  reinterpret_cast<uint32_t *>(memory.at));
  MUST(cudaMemcpy(shown.data(), memory.at, 2048, cudaMemcpyDeviceToHost));
  show("rewritten in shared memory", shown.data(), 512);
  tensor_case words = {"words", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, 2, {32, 32}, {}, {16, 4}};
  complete(words);
  if (encode(words, tensor.at + 4096, &map) != CUDA_SUCCESS) return 1;
  MUST(cudaMemcpy(published.at, &map, sizeof map, cudaMemcpyHostToDevice));
  in_global<<<1, 64, 8192>>>(reinterpret_cast<CUtensorMap *>(published.at), tensor.at + 128,
                             reinterpret_cast<uint32_t *>(memory.at));
  MUST(cudaMemcpy(shown.data(), memory.at, 2048, cudaMemcpyDeviceToHost));
  show("address replaced in global memory", shown.data(), 512);
}
