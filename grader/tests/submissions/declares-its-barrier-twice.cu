// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/^    init_barrier(&loaded, 1);/    __shared__ uint64_t loaded;\n&/
// expect: exit 1
// expect: says are there two of one
// expect: edits init_barrier(&loaded, 1);
