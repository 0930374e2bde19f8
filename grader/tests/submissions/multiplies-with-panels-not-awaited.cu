// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/tma_wait_until_read_pending<BUFFERS - 1>/tma_wait_until_read_pending<BUFFERS>/
// expect: exit 1
// expect: says buffer-in-flight
