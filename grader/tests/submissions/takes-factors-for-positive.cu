// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/a \* v.x + b/a * fabsf(v.x) + b/
// expect: exit 1
// expect: says out[
// expect: silent about breaks the rule
// Right only as long as what comes in is not negative.
