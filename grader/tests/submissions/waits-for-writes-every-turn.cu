// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/tma_wait_until_read_pending<UNREAD>/tma_wait_until_pending<UNREAD>/
// expect: exit 1
// expect: says does not do what is asked: a stage has to be refilled as soon as its store has read it
// expect: says waits for reads that left another group of stores under way: 0 seen
// expect: edits tma_wait_until_pending<UNREAD>();
// The last wait of each block is a .read wait, which does not undo the full waits of the turns before.
