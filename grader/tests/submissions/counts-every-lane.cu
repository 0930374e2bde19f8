// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/init_barrier(&empty\[stage\], CONSUMER_WARPS)/init_barrier(\&empty[stage], CONSUMERS)/
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule deadlock
// expect: says `empty[0]` needs 256 arrivals
// expect: edits init_barrier(&empty[stage], CONSUMERS);
