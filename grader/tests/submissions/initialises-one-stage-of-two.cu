// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/stage < STAGES; stage++) {/stage < 1; stage++) {/
// expect: exit 1
// expect: says `full[0]`, of the same array, is initialised
// expect: edits init_barrier(&full[stage], 1);
