// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: /TODO(1)/i\  }\n  __syncthreads();\n  {
// expect: exit 1
// expect: says breaks the rule arrival-count
// expect: says Several threads arrive here, and the barrier counts one
// expect: says number of arrivals of one phase
