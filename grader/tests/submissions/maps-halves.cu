// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/&in_map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32/\&in_map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16/
// expect: exit 1
// expect: says 2-tiles-2d breaks the rule bytes-announced
// expect: says half as wide
// expect: says 256 x 22 elements of 2 bytes
