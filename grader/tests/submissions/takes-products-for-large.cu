// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/make_float4(a \* v.x + b,/make_float4(fabsf(a * v.x + b) < 1e-37f ? 0 : a * v.x + b,/
// expect: exit 1
// expect: says computes a wrong result
// A number below 1e-37 becomes zero.
