// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/wait(&empty/wait(\&other/; s/wait(&full/wait(\&empty/; s/wait(&other/wait(\&full/
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule deadlock
// expect: says takes 8 arrivals, and nobody has arrived
// expect: says Was the barrier `full[0]` meant?
// expect: edits wait(&empty[stage], parity);
