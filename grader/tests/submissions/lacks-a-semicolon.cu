// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/init_barrier(&loaded, 1);/init_barrier(\&loaded, 1)/
// expect: exit 1
// expect: says the ; is missing at the end of this line
// expect: edits init_barrier(&loaded, 1)
