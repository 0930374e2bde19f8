// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/__shared__ uint64_t loaded/uint64_t loaded/
// expect: exit 1
// expect: says Is it declared with __shared__
// expect: edits init_barrier
// The barrier is a variable of each thread.
