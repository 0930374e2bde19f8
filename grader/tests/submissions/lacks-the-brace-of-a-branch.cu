// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: /read_pending<0>/,/^}/{/^  }/d}
// expect: exit 1
// expect: says the { of this line is never closed: a } is missing
// expect: edits if (threadIdx.x == 0) {
