// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/wait(&empty\[stage\], parity ^ 1)/wait(\&empty[stage], 1)/
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule parity
// expect: says the barrier `empty[0]`, and asks for parity 1, as at its very first
// expect: says the parity flips once for each round of the ring
// expect: edits wait(&empty[stage], 1);
