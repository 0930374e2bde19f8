// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/^              &full\[stage\]);/&\n    wait(\&full[stage], parity);/
// expect: exit 1
// expect: says loads of one block under way at once: 1 seen
// expect: silent about max_loads_in_flight
// expect: edits     wait(&full[stage], parity);
// expect: silent about (a guess)
