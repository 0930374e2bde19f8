// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/error = cudaMemsetAsync(.*/memset(sums, 0, columns * sizeof *sums);/
// expect: exit 1
// expect: says crashes on the host
// expect: edits memset(sums
// memset is for memory of the host.
