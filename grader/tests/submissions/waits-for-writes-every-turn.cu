// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/tma_wait_until_read_pending<UNREAD>/tma_wait_until_pending<UNREAD>/
// expect: exit 1
// expect: says does not do what is asked: a stage has to be refilled as soon as its store has read it
// expect: says 4-store-commit-groups.cu:96
// The final wait of each block is for reads alone, which says nothing of the turns before it.
