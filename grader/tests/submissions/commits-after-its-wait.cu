// submission: lab8/6-store
// after: solutions/lab8/6-store.cu
// change: /tma_wait_until_read_pending/d
// change: s/tma_commit_group();/tma_wait_until_read_pending<0>();\n    tma_commit_group();/
// expect: exit 1
// expect: says covers the groups that were committed before it
// expect: edits tma_wait_until_read_pending<0>();
// The wait stands before the commit, so it covers nothing.
