// submission: lab8/7-read-or-all
// after: solutions/lab8/7-read-or-all.cu
// change: s/tma_wait_until_pending<0>/tma_wait_until_read_pending<0>/
// expect: exit 1
// expect: says It is that of thread 0 at line
// expect: edits tma_wait_until_read_pending<0>
