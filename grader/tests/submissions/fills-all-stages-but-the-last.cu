// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: /TODO(1)/,/END SOLUTION/s/stage < STAGES/stage + 1 < STAGES/
// expect: exit 1
// expect: says For phase 0 of the barrier `full[2]`, its first one, nobody has arrived
// expect: edits stage + 1 < STAGES
// expect: silent about Was the barrier
