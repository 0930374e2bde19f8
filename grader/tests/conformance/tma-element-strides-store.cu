// Stores through maps with traversal strides.
#include "conformance.cuh"

int main() {
  const CUtensorMapDataType u32 = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  const tensor_case cases[] = {
      {"2d every 2nd row", u32, 4, 2, {16, 20}, {}, {8, 8}, {1, 2}, {}, {}, {}, {4, 3}},
      {"2d every 3rd row of 8", u32, 4, 2, {16, 20}, {}, {8, 8}, {1, 3}, {}, {}, {}, {4, 3}},
      {"2d over the bottom", u32, 4, 2, {16, 20}, {}, {8, 8}, {1, 2}, {}, {}, {}, {12, 15}},
      {"3d strides 2 and 3", u32, 4, 3, {8, 9, 9}, {}, {4, 5, 7}, {1, 2, 3}, {}, {}, {}, {4, 1, 2}},
  };
  for (const tensor_case &c : cases)
    store_case(c);
}
