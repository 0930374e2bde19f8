// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/  const uint4 sum = consume/  if (blockIdx.y + threadIdx.x == 0) sums[4 * first_quad] = 0;\n&/
// expect: exit 1
// expect: says breaks the rule global-race
// Nothing says that the first block begins before the others end.
