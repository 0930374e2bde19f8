// Tile loads of rank 1 to 5: inside, over each edge, at negative coordinates, wholly outside, of every
// element size.
#include "conformance.cuh"

int main() {
  const CUtensorMapDataType u8 = CU_TENSOR_MAP_DATA_TYPE_UINT8, u16 = CU_TENSOR_MAP_DATA_TYPE_UINT16,
                            u32 = CU_TENSOR_MAP_DATA_TYPE_UINT32, u64 = CU_TENSOR_MAP_DATA_TYPE_UINT64,
                            f64 = CU_TENSOR_MAP_DATA_TYPE_FLOAT64, s32 = CU_TENSOR_MAP_DATA_TYPE_INT32,
                            s64 = CU_TENSOR_MAP_DATA_TYPE_INT64, f16 = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                            f32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  const tensor_case cases[] = {
      {"1d u8 inside", u8, 1, 1, {200}, {}, {64}, {}, {}, {}, {}, {32}},
      {"1d u8 over the end", u8, 1, 1, {201}, {}, {64}, {}, {}, {}, {}, {160}},
      {"1d u8 before the start", u8, 1, 1, {200}, {}, {64}, {}, {}, {}, {}, {-32}},
      {"1d u16 tensor smaller than its box", u16, 2, 1, {5}, {}, {64}, {}, {}, {}, {}, {-8}},
      {"1d f64 beyond", f64, 8, 1, {20}, {}, {16}, {}, {}, {}, {}, {20}},
      {"1d u64 far before", u64, 8, 1, {20}, {}, {16}, {}, {}, {}, {}, {-2147483648}},
      {"1d u64 far beyond", u64, 8, 1, {20}, {}, {16}, {}, {}, {}, {}, {2147483646}},
      {"2d u32 inside", u32, 4, 2, {24, 10}, {}, {8, 4}, {}, {}, {}, {}, {8, 3}},
      {"2d u32 upper left corner", u32, 4, 2, {24, 10}, {}, {8, 4}, {}, {}, {}, {}, {-4, -2}},
      {"2d u32 lower right corner", u32, 4, 2, {22, 10}, {}, {8, 4}, {}, {}, {}, {}, {20, 8}},
      {"2d s32 one row above", s32, 4, 2, {24, 10}, {}, {8, 4}, {}, {}, {}, {}, {0, -3}},
      {"2d f16 wider than the tensor", f16, 2, 2, {13, 3}, {}, {32, 5}, {}, {}, {}, {}, {-8, -1}},
      {"2d u8 pitched", u8, 1, 2, {50, 6}, {96}, {32, 4}, {}, {}, {}, {}, {32, 2}},
      {"2d u16 outside below", u16, 2, 2, {50, 6}, {112}, {32, 4}, {}, {}, {}, {}, {16, 6}},
      {"3d s64", s64, 8, 3, {6, 5, 4}, {}, {4, 3, 3}, {}, {}, {}, {}, {2, 3, 2}},
      {"3d f32 before in each", f32, 4, 3, {9, 5, 4}, {}, {8, 3, 2}, {}, {}, {}, {}, {-4, -1, -1}},
      {"4d u16", u16, 2, 4, {16, 4, 3, 3}, {}, {8, 2, 2, 2}, {}, {}, {}, {}, {8, 3, 2, -1}},
      {"4d u8 strides shared between dimensions",
       u8,
       1,
       4,
       {32, 3, 3, 3},
       {32, 32, 64},
       {16, 2, 2, 2},
       {},
       {},
       {},
       {},
       {16, 1, 1, 1}},
      {"5d u32", u32, 4, 5, {8, 3, 3, 3, 3}, {}, {4, 2, 2, 2, 2}, {}, {}, {}, {}, {4, 1, 2, -1, 2}},
      {"5d u8 inside", u8, 1, 5, {48, 3, 2, 3, 2}, {}, {16, 2, 2, 2, 2}, {}, {}, {}, {}, {16, 1, 0, 1, 0}},
      {"2d u32 box of 256 rows", u32, 4, 2, {4, 300}, {}, {4, 256}, {}, {}, {}, {}, {0, 60}},
      {"2d u8 box 256 wide", u8, 1, 2, {300, 3}, {}, {256, 2}, {}, {}, {}, {}, {48, 1}},
      {"2d u32 at shared offset 128", u32, 4, 2, {24, 10}, {}, {8, 4}, {}, {}, {}, {}, {8, 3}, 128},
  };
  for (const tensor_case &c : cases)
    load_case(c);
}
