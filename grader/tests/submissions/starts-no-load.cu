// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/^      load(stage);$/      ;/
// expect: exit 1
// expect: says 4-store-commit-groups breaks the rule deadlock
// expect: says For phase 0 of the barrier `full[0]`
// expect: edits fill the ring
// expect: says (a guess)
