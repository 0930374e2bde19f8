// submission: lab8/6-store
// after: solutions/lab8/6-store.cu
// change: s/tma_wait_until_read_pending<0>/tma_wait_until_read_pending<1>/
// expect: exit 1
// expect: says group: this store is in it
// expect: edits tma_wait_until_read_pending<1>();
// The block ends with a wait that leaves out its only store.
