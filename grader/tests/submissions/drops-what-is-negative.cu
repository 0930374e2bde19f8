// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/a \* v.x + b/fmaxf(0, a * v.x + b)/
// expect: exit 1
// expect: says 4-store-commit-groups
