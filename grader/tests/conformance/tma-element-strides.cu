// Traversal strides: boxes that take every n-th row, over edges and from negative coordinates; the innermost
// stride is ignored.
#include "conformance.cuh"

int main() {
  const CUtensorMapDataType u32 = CU_TENSOR_MAP_DATA_TYPE_UINT32, u8 = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  const tensor_case cases[] = {
      {"2d every 2nd row", u32, 4, 2, {16, 20}, {}, {8, 8}, {1, 2}, {}, {}, {}, {4, 3}},
      {"2d every 3rd row of 8", u32, 4, 2, {16, 20}, {}, {8, 8}, {1, 3}, {}, {}, {}, {4, 3}},
      {"2d every 8th row", u32, 4, 2, {16, 40}, {}, {8, 32}, {1, 8}, {}, {}, {}, {4, 1}},
      {"2d stride larger than the box", u32, 4, 2, {16, 20}, {}, {8, 3}, {1, 7}, {}, {}, {}, {4, 3}},
      {"2d over the bottom", u32, 4, 2, {16, 20}, {}, {8, 8}, {1, 2}, {}, {}, {}, {12, 15}},
      {"2d before the top, odd", u32, 4, 2, {16, 20}, {}, {8, 8}, {1, 2}, {}, {}, {}, {-4, -3}},
      {"2d before the top, stride 3", u32, 4, 2, {16, 20}, {}, {8, 12}, {1, 3}, {}, {}, {}, {4, -4}},
      {"2d innermost stride 2", u32, 4, 2, {32, 20}, {}, {8, 4}, {2, 1}, {}, {}, {}, {4, 3}},
      {"1d innermost stride 4", u8, 1, 1, {200}, {}, {64}, {4}, {}, {}, {}, {16}},
      {"3d strides 2 and 3", u32, 4, 3, {8, 9, 9}, {}, {4, 5, 7}, {1, 2, 3}, {}, {}, {}, {4, 1, 2}},
      {"3d strides 2 and 3, swizzled",
       u32,
       4,
       3,
       {16, 9, 9},
       {},
       {16, 5, 7},
       {1, 2, 3},
       {},
       CU_TENSOR_MAP_SWIZZLE_64B,
       {},
       {0, 1, 2}},
      {"5d strides",
       u8,
       1,
       5,
       {16, 5, 5, 5, 5},
       {},
       {16, 3, 4, 3, 2},
       {1, 2, 2, 3, 1},
       {},
       {},
       {},
       {0, -1, 2, 1, 4}},
  };
  for (const tensor_case &c : cases)
    load_case(c);
}
