// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/HALF, CU_TENSOR_MAP_SWIZZLE_128B/HALF, CU_TENSOR_MAP_SWIZZLE_NONE/
// expect: exit 1
// expect: says the tile is swizzled and is read as if it were not, or the other way round
