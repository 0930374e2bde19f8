// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: 49s/if (threadIdx.x == 0)/if (true)/
// expect: exit 1
// expect: says breaks no rule, but does not do what is asked: each tile has to be stored once
// expect: says 256 times output_bytes
// expect: says 1-bulk-copy-1d.cu:50
// 256 threads store the same tile: the result is right, and the traffic 256 times what it should be.
