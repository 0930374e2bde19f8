// cp.reduce.async.bulk.tensor: every operation on every element type it exists for, on special values; and a
// clipped, swizzled tile.
#include "tma-reduce.cuh"

#define OPERATIONS(each) each(add) each(min) each(max) each(inc) each(dec) each(and) each(or) each(xor)
enum operation { op_add, op_min, op_max, op_inc, op_dec, op_and, op_or, op_xor };

static __global__ void reduce_kernel(const __grid_constant__ CUtensorMap map, int operation,
                                     const uint32_t *operand, uint32_t words, int x, int y) {
  uint8_t *tile = tile_area();
  for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
    reinterpret_cast<uint32_t *>(tile)[i] = operand[i];
  fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
#define EACH(name)                                                          \
  if (operation == op_##name)                                               \
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." #name \
                 ".tile.bulk_group [%0, {%1, %2}], [%3];"                   \
                 :                                                          \
                 : "l"(&map), "r"(x), "r"(y), "r"(shared_address(tile))     \
                 : "memory");
  OPERATIONS(EACH)
  commit_group();
  wait_all_groups();
}

static void run(const char *name, int operation, CUtensorMapDataType type, uint32_t element_bytes,
                char kind) {
  std::vector<uint8_t> a, b;
  operands_of(kind, a, b);
  uint32_t width = 64 / element_bytes;
  tensor_case c = {
      name, type, element_bytes, 2, {width, REDUCE_BYTES / 64}, {64}, {width, REDUCE_BYTES / 64}, {}, {},
      {},   {},   {0, 0}};
  complete(c);
  device_bytes out(REDUCE_BYTES), operand(REDUCE_BYTES);
  MUST(cudaMemcpy(out.at, a.data(), a.size(), cudaMemcpyHostToDevice));
  MUST(cudaMemcpy(operand.at, b.data(), b.size(), cudaMemcpyHostToDevice));
  alignas(64) CUtensorMap map;
  if (encode(c, out.at, &map) != CUDA_SUCCESS) exit(1);
  reduce_kernel<<<1, 64, 8192>>>(map, operation, reinterpret_cast<uint32_t *>(operand.at), REDUCE_BYTES / 4,
                                 0, 0);
  MUST(cudaDeviceSynchronize());
  MUST(cudaMemcpy(a.data(), out.at, a.size(), cudaMemcpyDeviceToHost));
  show(name, a.data(), a.size());
}

static void clipped() {
  tensor_case c = {"add.u32 over the corner, 64B swizzle",
                   CU_TENSOR_MAP_DATA_TYPE_UINT32,
                   4,
                   2,
                   {21, 10},
                   {96},
                   {16, 8},
                   {},
                   {},
                   CU_TENSOR_MAP_SWIZZLE_64B,
                   {},
                   {8, 5}};
  size_t bytes = complete(c);
  std::vector<uint8_t> before(bytes, 1), tile(512);
  for (size_t i = 0; i < tile.size(); i++)
    tile[i] = static_cast<uint8_t>(i);
  device_bytes out(bytes), operand(tile.size());
  MUST(cudaMemcpy(out.at, before.data(), bytes, cudaMemcpyHostToDevice));
  MUST(cudaMemcpy(operand.at, tile.data(), tile.size(), cudaMemcpyHostToDevice));
  alignas(64) CUtensorMap map;
  if (encode(c, out.at, &map) != CUDA_SUCCESS) exit(1);
  reduce_kernel<<<1, 64, 8192>>>(map, op_add, reinterpret_cast<uint32_t *>(operand.at), 128, c.coordinate[0],
                                 c.coordinate[1]);
  MUST(cudaDeviceSynchronize());
  MUST(cudaMemcpy(before.data(), out.at, bytes, cudaMemcpyDeviceToHost));
  show(c.name, before.data(), bytes);
}

int main() {
  const CUtensorMapDataType u32 = CU_TENSOR_MAP_DATA_TYPE_UINT32, s32 = CU_TENSOR_MAP_DATA_TYPE_INT32,
                            u64 = CU_TENSOR_MAP_DATA_TYPE_UINT64, s64 = CU_TENSOR_MAP_DATA_TYPE_INT64,
                            f16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16, bf16 = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  run("add.u32", op_add, u32, 4, 'w');
  run("add.s32", op_add, s32, 4, 'w');
  run("add.u64", op_add, u64, 8, 'l');
  run("add.f32", op_add, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 'f');
  run("add.f32.ftz", op_add, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 4, 'f');
  run("add.f16", op_add, f16, 2, 'h');
  run("add.bf16", op_add, bf16, 2, 'b');
  run("min.u32", op_min, u32, 4, 'w');
  run("min.s32", op_min, s32, 4, 'w');
  run("min.u64", op_min, u64, 8, 'l');
  run("min.s64", op_min, s64, 8, 'l');
  run("min.f16", op_min, f16, 2, 'h');
  run("min.bf16", op_min, bf16, 2, 'b');
  run("max.u32", op_max, u32, 4, 'w');
  run("max.s32", op_max, s32, 4, 'w');
  run("max.u64", op_max, u64, 8, 'l');
  run("max.s64", op_max, s64, 8, 'l');
  run("max.f16", op_max, f16, 2, 'h');
  run("max.bf16", op_max, bf16, 2, 'b');
  run("inc.u32", op_inc, u32, 4, 'w');
  run("dec.u32", op_dec, u32, 4, 'w');
  run("and.b32", op_and, u32, 4, 'w');
  run("or.b32", op_or, u32, 4, 'w');
  run("xor.b32", op_xor, u32, 4, 'w');
  run("and.b64", op_and, u64, 8, 'l');
  run("or.b64", op_or, u64, 8, 'l');
  run("xor.b64", op_xor, u64, 8, 'l');
  clipped();
}
