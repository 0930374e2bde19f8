// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/if (n >= UNREAD) {/if (n >= STAGES) {/
// expect: exit 1
// expect: says 4-store-commit-groups breaks the rule deadlock
// expect: says Nor has any other barrier got its next load.
// expect: says starts the last load on the barrier `full[0]`
