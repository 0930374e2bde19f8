// Every swizzle, with boxes as wide as its span and narrower, in loads. Tiles begin where the pattern does.
#include "conformance.cuh"

int main() {
  const CUtensorMapDataType u16 = CU_TENSOR_MAP_DATA_TYPE_UINT16, u32 = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  const CUtensorMapSwizzle s32 = CU_TENSOR_MAP_SWIZZLE_32B, s64 = CU_TENSOR_MAP_SWIZZLE_64B,
                           s128 = CU_TENSOR_MAP_SWIZZLE_128B;
  const tensor_case cases[] = {
      {"32B, 32 wide", u16, 2, 2, {64, 40}, {}, {16, 17}, {}, {}, s32, {}, {16, 1}},
      {"32B, 16 wide", u16, 2, 2, {64, 40}, {}, {8, 33}, {}, {}, s32, {}, {16, 1}},
      {"64B, 64 wide", u16, 2, 2, {64, 40}, {}, {32, 17}, {}, {}, s64, {}, {16, 1}},
      {"64B, 32 wide", u16, 2, 2, {64, 40}, {}, {16, 17}, {}, {}, s64, {}, {16, 1}},
      {"64B, 48 wide", u16, 2, 2, {64, 40}, {}, {24, 17}, {}, {}, s64, {}, {16, 1}},
      {"64B, 16 wide", u16, 2, 2, {64, 40}, {}, {8, 33}, {}, {}, s64, {}, {16, 1}},
      {"128B, 128 wide", u16, 2, 2, {64, 40}, {}, {64, 17}, {}, {}, s128, {}, {0, 1}},
      {"128B, 64 wide", u16, 2, 2, {64, 40}, {}, {32, 17}, {}, {}, s128, {}, {16, 1}},
      {"128B, 96 wide", u16, 2, 2, {64, 40}, {}, {48, 17}, {}, {}, s128, {}, {16, 1}},
      {"128B, 16 wide", u32, 4, 2, {64, 70}, {}, {4, 65}, {}, {}, s128, {}, {16, 1}},
      {"128B over the edge", u32, 4, 2, {60, 20}, {}, {32, 16}, {}, {}, s128, {}, {40, 10}},
      {"128B before the start", u32, 4, 2, {60, 20}, {}, {32, 16}, {}, {}, s128, {}, {-20, -3}},
      {"128B, 1d", u32, 4, 1, {60}, {}, {32}, {}, {}, s128, {}, {20}},
      {"128B, 3d", u32, 4, 3, {60, 6, 6}, {}, {32, 3, 5}, {}, {}, s128, {}, {20, 1, 2}},
      {"64B, 4d", u32, 4, 4, {20, 3, 4, 5}, {}, {16, 3, 2, 4}, {}, {}, s64, {}, {4, 1, -1, 2}},
  };
  for (const tensor_case &c : cases)
    load_case(c);
}
