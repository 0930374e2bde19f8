// expect: fault tensor-coordinate
// A tile store whose innermost coordinate is not on 16 bytes: an H100 ends it, like such a load, with
// "illegal instruction".
#include "conformance.cuh"

int main() {
  tensor_case c = {
      "store at x = 3", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, 2, {24, 10}, {}, {8, 4}, {}, {}, {}, {}, {3, 2}};
  store_case(c);
}
