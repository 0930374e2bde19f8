// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s,^  const size_t tiles = (quads,  if (9 / (quads / 3 - 2) > 9 * quads) return cudaErrorUnknown;\
// change: &,
// expect: exit 1
// expect: says crashes on the host
// expect: says Does it divide by zero?
// expect: says In the case "tiny"
// It divides by zero for 24, 28 and 32 elements, and no public or hidden case has these sizes.
