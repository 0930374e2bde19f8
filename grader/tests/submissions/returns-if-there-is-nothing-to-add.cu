// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/return launch_scale/if (b == 0.0f) return cudaSuccess;\n  return launch_scale/
// expect: exit 1
// expect: says 4-store-commit-groups
