// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/CU_TENSOR_MAP_DATA_TYPE_FLOAT32, out,/CU_TENSOR_MAP_DATA_TYPE_FLOAT32, in,/
// expect: exit 1
// expect: says breaks the rule global-race
// expect: says bytes into `in`
