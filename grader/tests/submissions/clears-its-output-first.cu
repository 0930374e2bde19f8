// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/  if (tiles > INT32_MAX) return cudaErrorInvalidValue;/&\
// change:   cudaMemsetAsync(out, 0, count * sizeof *out, stream);/
// expect: exit 0
// expect: says The exercise passes
