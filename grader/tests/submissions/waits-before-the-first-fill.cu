// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/parity ^ 1)/parity)/
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule deadlock
// expect: says A fresh barrier answers at once
// expect: edits wait(&empty[stage], parity);
