// submission: lab8/3-bytes
// after: solutions/lab8/3-bytes.cu
// change: s/__shared__ uint64_t loaded;/__shared__ uint64_t loaded = 0;/
// expect: exit 1
// expect: says   __shared__ uint64_t loaded = 0;
// expect: says Shared memory begins with whatever was there.
// expect: silent about __attribute__
// expect: edits __shared__ uint64_t loaded = 0;
