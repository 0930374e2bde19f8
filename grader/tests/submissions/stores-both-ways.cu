// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/tile\[i\] += 1;/data[first + i] = tile[i] + 1;/
// expect: exit 1
// expect: says let the threads write them to shared memory only
// expect: edits data[first + i]
// The threads write their results to global memory, and the copy follows.
