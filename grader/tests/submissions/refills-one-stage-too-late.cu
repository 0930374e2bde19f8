// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/if (n >= UNREAD) {/if (n > UNREAD) {/
// expect: exit 1
// expect: says 4-store-commit-groups breaks the rule deadlock
// expect: says starts a later load, on the barrier `full[1]`
// expect: edits load((n - UNREAD) % STAGES);
