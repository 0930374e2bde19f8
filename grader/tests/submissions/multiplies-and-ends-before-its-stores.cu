// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/^  if (threadIdx.x % GROUP == 0) tma_wait_until_read_pending<0>();//
// expect: exit 1
// expect: says exit-before-read
