// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/^  add_one<<</  data = (int32_t *)((size_t)data \& ~(size_t)511);\n&/
// expect: exit 1
// expect: says breaks the rule out-of-bounds
// expect: says 256 bytes before `data`
// Memory of cudaMalloc begins at multiples of 512 and more. The lab promises 256.
