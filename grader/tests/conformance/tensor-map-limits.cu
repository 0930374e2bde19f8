// expect: fault bad-tensor-map-argument
// How large a box may be, and which boxes an interleaved map takes: 0 allowed, 1 refused.
#include "conformance.cuh"

int main() {
  const CUtensorMapDataType u8 = CU_TENSOR_MAP_DATA_TYPE_UINT8, u16 = CU_TENSOR_MAP_DATA_TYPE_UINT16,
                            u32 = CU_TENSOR_MAP_DATA_TYPE_UINT32, u64 = CU_TENSOR_MAP_DATA_TYPE_UINT64;
  const CUtensorMapInterleave i16 = CU_TENSOR_MAP_INTERLEAVE_16B, i32 = CU_TENSOR_MAP_INTERLEAVE_32B;
  const CUtensorMapSwizzle s32 = CU_TENSOR_MAP_SWIZZLE_32B, s64 = CU_TENSOR_MAP_SWIZZLE_64B,
                           s128 = CU_TENSOR_MAP_SWIZZLE_128B;
  const tensor_case cases[] = {
      {"256 x 1 words", u32, 4, 2, {256, 8}, {1024}, {256, 1}},
      {"256 x 2 doubles", u64, 8, 2, {256, 8}, {2048}, {256, 2}},
      {"128 KiB", u32, 4, 2, {256, 8}, {1024}, {256, 128}},
      {"192 KiB", u32, 4, 2, {256, 8}, {1024}, {256, 192}},
      {"226 KiB", u32, 4, 2, {256, 8}, {1024}, {256, 226}},
      {"227 KiB", u32, 4, 2, {256, 8}, {1024}, {256, 227}},
      {"228 KiB", u32, 4, 2, {256, 8}, {1024}, {256, 228}},
      {"240 KiB", u32, 4, 2, {256, 8}, {1024}, {256, 240}},
      {"255 KiB", u32, 4, 2, {256, 8}, {1024}, {256, 255}},
      {"256 KiB, every second row", u32, 4, 2, {256, 8}, {1024}, {256, 256}, {1, 2}},
      {"256 KiB, every eighth row", u32, 4, 2, {256, 8}, {1024}, {256, 256}, {1, 8}},
      {"256 KiB in three dimensions", u32, 4, 3, {256, 8, 8}, {1024, 8192}, {64, 32, 32}},
      {"narrow rows, 128B swizzle, 128 KiB as they lie",
       u32,
       4,
       3,
       {256, 8, 8},
       {1024, 8192},
       {4, 256, 4},
       {},
       {},
       s128},
      {"narrow rows, 128B swizzle, 256 KiB as they lie",
       u32,
       4,
       3,
       {256, 8, 8},
       {1024, 8192},
       {4, 256, 8},
       {},
       {},
       s128},
      {"interleaved, inner 4 bytes", u32, 4, 3, {64, 8, 8}, {1024, 8192}, {1, 4, 2}, {}, i16},
      {"interleaved, inner 8 bytes", u32, 4, 3, {64, 8, 8}, {1024, 8192}, {2, 4, 2}, {}, i16},
      {"interleaved, inner 12 bytes", u32, 4, 3, {64, 8, 8}, {1024, 8192}, {3, 4, 2}, {}, i16},
      {"interleaved, inner 16 bytes", u32, 4, 3, {64, 8, 8}, {1024, 8192}, {4, 4, 2}, {}, i16},
      {"interleaved, inner 20 bytes", u32, 4, 3, {64, 8, 8}, {1024, 8192}, {5, 4, 2}, {}, i16},
      {"interleaved, inner 8 halves", u16, 2, 3, {64, 8, 8}, {1024, 8192}, {8, 4, 2}, {}, i16},
      {"interleaved, inner 9 halves", u16, 2, 3, {64, 8, 8}, {1024, 8192}, {9, 4, 2}, {}, i16},
      {"interleaved, inner 17 bytes", u8, 1, 3, {64, 8, 8}, {1024, 8192}, {17, 4, 2}, {}, i16},
      {"interleaved, inner 256", u16, 2, 3, {256, 8, 8}, {4096, 32768}, {256, 8, 2}, {}, i16},
      {"interleaved, 32B swizzle, inner 256",
       u16,
       2,
       3,
       {256, 8, 8},
       {4096, 32768},
       {256, 8, 2},
       {},
       i16,
       s32},
      {"interleaved, 64B swizzle", u16, 2, 3, {256, 8, 8}, {4096, 32768}, {64, 8, 2}, {}, i16, s64},
      {"interleaved 32B, 64B swizzle", u16, 2, 3, {256, 8, 8}, {8192, 65536}, {64, 8, 2}, {}, i32, s64},
      {"interleaved 32B, 128B swizzle", u16, 2, 3, {256, 8, 8}, {8192, 65536}, {64, 8, 2}, {}, i32, s128},
      {"interleaved, 256 KiB", u16, 2, 3, {256, 64, 8}, {4096, 32768}, {256, 64, 8}, {}, i16},
      {"innermost stride 2 of 12 bytes", u32, 4, 2, {64, 8}, {256}, {6, 4}, {2, 1}},
      {"strides out of order", u32, 4, 3, {16, 4, 4}, {256, 64}, {4, 2, 2}},
  };
  device_bytes tensor(1 << 20);
  for (tensor_case c : cases) {
    alignas(64) CUtensorMap map;
    for (uint32_t &stride : c.element_stride)
      if (!stride) stride = 1;
    printf("%s: %d\n", c.name, static_cast<int>(encode(c, tensor.at, &map)));
  }
}
