// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/tma_wait_until_read_pending<0>();/wait(\&loaded, 1);/
// expect: exit 1
// expect: says breaks the rule deadlock
// expect: says a barrier with one load has one phase, and is waited for once
// It waits for its store as it did for its load.
