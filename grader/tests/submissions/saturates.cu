// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/tile\[i\] += 1/tile[i] += tile[i] != INT32_MAX/
// expect: exit 1
// expect: says 1-bulk-copy-1d
