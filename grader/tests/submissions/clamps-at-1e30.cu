// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/make_float4(a \* v.x + b,/make_float4(fminf(a * v.x + b, isnan(v.x) ? v.x : 1e30f),/
// expect: exit 1
// expect: says computes a wrong result
// expect: silent about breaks the rule
// No infinity and no very large number comes out.
