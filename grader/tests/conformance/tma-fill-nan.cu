// The special NaN that fills what lies outside, for each floating-point type, and how wide it reaches.
#include "conformance.cuh"

int main() {
  const CUtensorMapFloatOOBfill nan = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  const tensor_case cases[] = {
      {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 2, {21, 3}, {}, {16, 3}, {}, {}, {}, nan, {8, 1}},
      {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, 2, {21, 3}, {}, {16, 3}, {}, {}, {}, nan, {8, 1}},
      {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, 2, {11, 3}, {}, {8, 3}, {}, {}, {}, nan, {8, 1}},
      {"f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8, 2, {7, 3}, {}, {4, 3}, {}, {}, {}, nan, {4, 1}},
      {"f32 ftz", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 4, 2, {11, 3}, {}, {8, 3}, {}, {}, {}, nan, {8, -1}},
      {"tf32", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4, 2, {11, 3}, {}, {8, 3}, {}, {}, {}, nan, {-4, 1}},
      {"tf32 ftz", CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, 4, 2, {11, 3}, {}, {8, 3}, {}, {}, {}, nan, {8, 1}},
      {"f32 swizzled",
       CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
       4,
       2,
       {27, 3},
       {},
       {32, 5},
       {},
       {},
       CU_TENSOR_MAP_SWIZZLE_128B,
       nan,
       {-4, -1}},
  };
  for (const tensor_case &c : cases)
    load_case(c);
}
