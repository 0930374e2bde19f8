// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/__syncwarp();/__syncthreads();/
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule deadlock
// expect: says can't come to the barrier at line
// expect: silent about Nobody has ever arrived
// expect: edits __syncthreads();
