// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/wgmma_wait_until_pending<0>();//
// expect: exit 1
// expect: says register-in-flight
// The last group of a tile is never waited for.
