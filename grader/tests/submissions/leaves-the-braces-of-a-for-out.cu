// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/^\(    for (uint32_t stage = 0; .*\) {$/\1/
// expect: exit 1
// expect: says declares it, but for one statement alone
// expect: silent about Did you mean
// expect: edits init_barrier(&empty[stage], CONSUMER_WARPS);
