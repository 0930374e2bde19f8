// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/wait(&full\[stage\], parity)/wait(\&full[stage], turn \/ STAGES)/
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule parity
// expect: says The wait for the barrier `full[0]` is given 2 as its parity, which can only be 0 or 1
// expect: says lowest bit of the phase's number: `& 1`
// expect: edits wait(&full[stage], turn / STAGES);
