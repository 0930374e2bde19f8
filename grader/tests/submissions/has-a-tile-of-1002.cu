// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/TILE = 1024/TILE = 1002/
// expect: exit 1
// expect: says The copy has 4008 bytes
// expect: silent about a number of elements?
// expect: says opy 4000 in bulk and the last 8
