// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/load((n - UNREAD) % STAGES);//
// expect: exit 1
// expect: says 4-store-commit-groups breaks the rule deadlock
// expect: says For phase 1 of the barrier `full[0]`
// expect: edits if (n >= UNREAD) {
// expect: says (a guess)
