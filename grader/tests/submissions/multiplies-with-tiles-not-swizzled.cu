// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/\(&b_map, .*SWIZZLE_\)128B/\1NONE/
// expect: exit 1
// expect: says wgmma-swizzle
// The descriptor tells a swizzle, the map of b doesn't.
