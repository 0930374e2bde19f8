// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/^ *if (threadIdx.x % 32 == 0) arrive.*//
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule deadlock
// expect: says Nobody has ever arrived on the barrier `empty[0]`
// expect: edits __syncwarp();
// expect: says (a guess)
