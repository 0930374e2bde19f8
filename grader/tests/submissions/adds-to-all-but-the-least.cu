// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/tile\[i\] += 1;/if (tile[i] != 0x80000000u) tile[i] += 1;/
// expect: exit 1
// expect: says computes a wrong result
// One number of 2^32 isn't counted up.
