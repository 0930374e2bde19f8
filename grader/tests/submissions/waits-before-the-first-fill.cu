// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/parity ^ 1)/parity)/
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule deadlock
// expect: says ask for parity 1
// expect: edits wait(&empty[stage], parity);
