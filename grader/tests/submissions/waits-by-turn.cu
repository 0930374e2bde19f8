// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: /TODO(4)/,/END/s,turn / STAGES & 1,turn \& 1,
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule parity
// expect: says the barrier `full[1]`, and asks for parity 1, as at its very first
// expect: says the parity flips once for each round of the ring
// expect: silent about shared-race
// expect: edits wait(&full[stage], parity);
