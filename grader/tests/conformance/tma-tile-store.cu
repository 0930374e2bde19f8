// Tile stores of rank 1 to 5: inside, over each edge, beyond; a row that ends in the tensor's edge ends on 16
// bytes.
#include "conformance.cuh"

int main() {
  const CUtensorMapDataType u8 = CU_TENSOR_MAP_DATA_TYPE_UINT8, u16 = CU_TENSOR_MAP_DATA_TYPE_UINT16,
                            u32 = CU_TENSOR_MAP_DATA_TYPE_UINT32, u64 = CU_TENSOR_MAP_DATA_TYPE_UINT64,
                            f32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  const tensor_case cases[] = {
      {"1d u8", u8, 1, 1, {200}, {}, {64}, {}, {}, {}, {}, {32}},
      {"1d u8 over the end", u8, 1, 1, {201}, {}, {64}, {}, {}, {}, {}, {160}},
      {"1d u16 beyond", u16, 2, 1, {33}, {}, {64}, {}, {}, {}, {}, {40}},
      {"2d u32", u32, 4, 2, {24, 10}, {}, {8, 4}, {}, {}, {}, {}, {8, 3}},
      {"2d u32 lower right corner", u32, 4, 2, {22, 10}, {}, {8, 4}, {}, {}, {}, {}, {20, 8}},
      {"2d f32 five wide", f32, 4, 2, {5, 4}, {48}, {8, 4}, {}, {}, {}, {}, {0, 1}},
      {"2d u8 three wide, pitched", u8, 1, 2, {3, 4}, {64}, {32, 2}, {}, {}, {}, {}, {0, 1}},
      {"2d u64 one wide", u64, 8, 2, {1, 4}, {32}, {4, 2}, {}, {}, {}, {}, {0, 3}},
      {"3d u64", u64, 8, 3, {6, 5, 4}, {}, {4, 3, 3}, {}, {}, {}, {}, {2, 3, 2}},
      {"4d u16", u16, 2, 4, {16, 4, 3, 3}, {}, {8, 2, 2, 2}, {}, {}, {}, {}, {8, 3, 2, 1}},
      {"5d u32", u32, 4, 5, {8, 3, 3, 3, 3}, {}, {4, 2, 2, 2, 2}, {}, {}, {}, {}, {4, 1, 2, 0, 2}},
  };
  for (const tensor_case &c : cases)
    store_case(c);
}
