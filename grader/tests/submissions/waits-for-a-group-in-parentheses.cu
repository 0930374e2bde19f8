// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/read_pending<0>()/read_pending(0)/
// expect: exit 1
// expect: says with a number between < and >: tma_wait_until_read_pending<0>()
// expect: edits read_pending(0)
