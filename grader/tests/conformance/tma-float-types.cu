// What the element types that convert do to 32-bit floats on their way: subnormals, rounding to ten bits,
// infinities, NaNs; both ways.
#include "conformance.cuh"

static std::vector<uint8_t> special_floats() {
  const uint32_t values[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001,
                             0x007fffff, 0x807fffff, 0x00800000, 0x3f800000, // zeros, subnormals
                             0x3f800fff, 0x3f801000, 0x3f801001, 0x3f802fff,
                             0x3f803000, 0x3f803001, 0xbf801000, 0xbf803000, // ties
                             0x3f801fff, 0x7f7fffff, 0xff7fffff, 0x7f7ff000,
                             0x7f800000, 0xff800000, 0x7f800001, 0x7f801000, // large, NaN
                             0x7fc00000, 0x7fffffff, 0xffffffff, 0xffc01234,
                             0x00000fff, 0x00001000, 0x007ff000, 0x007fefff};
  std::vector<uint8_t> bytes(sizeof values);
  memcpy(bytes.data(), values, sizeof values);
  return bytes;
}

static __global__ void round_trip(const __grid_constant__ CUtensorMap map, const uint32_t *contents,
                                  int words) {
  uint8_t *area = tile_area();
  if (threadIdx.x < words) reinterpret_cast<uint32_t *>(area)[threadIdx.x] = contents[threadIdx.x];
  fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  int32_t zero[5] = {};
  tensor_store(1, shared_address(area), &map, zero);
  commit_group();
  wait_all_groups();
}

int main() {
  const tensor_case cases[] = {
      {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 1, {32}, {}, {32}},
      {"f32 ftz", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 4, 1, {32}, {}, {32}},
      {"tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, 1, {32}, {}, {32}},
      {"tf32 ftz", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, 4, 1, {32}, {}, {32}},
  };
  std::vector<uint8_t> contents = special_floats();
  for (const tensor_case &c : cases)
    load_case(c, &contents);
  for (tensor_case c : cases) {
    complete(c);
    device_bytes tensor(4096), source(contents.size());
    MUST(cudaMemset(tensor.at, 0xee, 4096));
    MUST(cudaMemcpy(source.at, contents.data(), contents.size(), cudaMemcpyHostToDevice));
    alignas(64) CUtensorMap map;
    if (encode(c, tensor.at, &map) != CUDA_SUCCESS) return 1;
    round_trip<<<1, 32, 4096>>>(map, reinterpret_cast<uint32_t *>(source.at), 32);
    MUST(cudaDeviceSynchronize());
    std::vector<uint8_t> shown(128);
    MUST(cudaMemcpy(shown.data(), tensor.at, shown.size(), cudaMemcpyDeviceToHost));
    printf("stored ");
    show(c.name, shown.data(), shown.size());
  }
}
