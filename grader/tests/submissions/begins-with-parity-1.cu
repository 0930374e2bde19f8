// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/wait(&full\[stage\], parity)/wait(\&full[stage], 1)/
// expect: exit 1
// expect: says The wait asks for parity 1 of the barrier `full[0]`, none
// expect: edits wait(&full[stage], 1);
