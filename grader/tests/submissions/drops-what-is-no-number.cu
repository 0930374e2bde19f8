// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/make_float4(a \* v.x + b,/make_float4(v.x == v.x ? a * v.x + b : b,/
// expect: exit 1
// expect: says computes a wrong result
// expect: silent about breaks the rule
// What is no number is taken for zero.
