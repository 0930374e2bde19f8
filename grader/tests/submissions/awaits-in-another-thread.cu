// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/if (threadIdx.x == 0) \(tma_wait_until_read_pending<0>\)/if (threadIdx.x == 1) \1/
// expect: exit 1
// expect: says 4-store-commit-groups breaks the rule store-not-awaited
// expect: says thread 1 waits, but has issued nothing
// expect: edits if (threadIdx.x == 1) tma_wait_until_read_pending<0>();
