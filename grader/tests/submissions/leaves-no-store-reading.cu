// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/<UNREAD>();/<0>();/
// expect: exit 1
// expect: says waits that left another group of stores under way: 0 seen
// expect: silent about waits_leaving_groups
// expect: edits tma_wait_until_read_pending<0>();
