// expect: fault bad-tensor-map-argument
// What cuTensorMapEncodeTiled says to arguments at the edges of the documented rules: 0 allowed, 1 refused.
#include "conformance.cuh"

int main() {
  const CUtensorMapDataType u32 = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  const CUtensorMapInterleave i16 = CU_TENSOR_MAP_INTERLEAVE_16B, i32 = CU_TENSOR_MAP_INTERLEAVE_32B;
  const CUtensorMapSwizzle s32 = CU_TENSOR_MAP_SWIZZLE_32B, s64 = CU_TENSOR_MAP_SWIZZLE_64B,
                           s128 = CU_TENSOR_MAP_SWIZZLE_128B;
  const tensor_case cases[] = {
      {"stride 0 is filled in", u32, 4, 2, {64, 8}, {}, {8, 4}},
      {"stride 16, less than a row", u32, 4, 2, {64, 8}, {16}, {8, 4}},
      {"stride 2^40 - 16", u32, 4, 2, {64, 8}, {(1ull << 40) - 16}, {8, 4}},
      {"stride 2^40", u32, 4, 2, {64, 8}, {1ull << 40}, {8, 4}},
      {"stride 24", u32, 4, 2, {4, 8}, {24}, {4, 4}},
      {"dimension 2^32", u32, 4, 2, {64, 1ull << 32}, {256}, {8, 4}},
      {"dimension 2^32 + 1", u32, 4, 2, {64, (1ull << 32) + 1}, {256}, {8, 4}},
      {"box 256", u32, 4, 2, {64, 8}, {256}, {256, 256}},
      {"box 260", u32, 4, 2, {64, 8}, {256}, {260, 4}},
      {"box of 12 bytes", u32, 4, 2, {64, 8}, {256}, {3, 4}},
      {"element stride 8", u32, 4, 2, {64, 8}, {256}, {8, 8}, {1, 8}},
      {"element stride 9", u32, 4, 2, {64, 8}, {256}, {8, 9}, {1, 9}},
      {"innermost element stride 8", u32, 4, 2, {64, 8}, {256}, {8, 4}, {8, 1}},
      {"32B swizzle, 48 wide", u32, 4, 2, {64, 8}, {256}, {12, 4}, {}, {}, s32},
      {"64B swizzle, 80 wide", u32, 4, 2, {64, 8}, {256}, {20, 4}, {}, {}, s64},
      {"128B swizzle, 144 wide", u32, 4, 2, {64, 8}, {256}, {36, 4}, {}, {}, s128},
      {"32B atoms", u32, 4, 2, {64, 8}, {256}, {8, 4}, {}, {}, static_cast<CUtensorMapSwizzle>(4)},
      {"4-bit type", static_cast<CUtensorMapDataType>(13), 1, 2, {128, 8}, {256}, {32, 4}},
      {"16B interleave of rank 2", u32, 4, 2, {64, 8}, {256}, {8, 4}, {}, i16},
      {"16B interleave, box of 12 bytes", u32, 4, 3, {64, 8, 8}, {256, 2048}, {3, 4, 2}, {}, i16},
      {"32B interleave without swizzle", u32, 4, 3, {64, 8, 8}, {256, 2048}, {8, 4, 2}, {}, i32},
      {"32B interleave, stride 16", u32, 4, 3, {64, 8, 8}, {272, 2176}, {8, 4, 2}, {}, i32, s32},
      {"NaN for integers",
       u32,
       4,
       2,
       {64, 8},
       {256},
       {8, 4},
       {},
       {},
       {},
       CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA},
      {"rank 0", u32, 4, 0, {64, 8}, {256}, {8, 4}},
      {"rank 6", u32, 4, 6, {64, 8}, {256}, {8, 4}},
      {"box of 256 KiB", u32, 4, 2, {64, 8}, {256}, {256, 256}},
  };
  device_bytes tensor(1 << 20);
  for (tensor_case c : cases) {
    alignas(64) CUtensorMap map;
    for (uint32_t &stride : c.element_stride)
      if (!stride) stride = 1;
    printf("%s: %d\n", c.name, static_cast<int>(encode(c, tensor.at, &map)));
  }
}
