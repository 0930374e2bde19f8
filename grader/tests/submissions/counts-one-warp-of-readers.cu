// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/init_barrier(&empty\[stage\], CONSUMER_WARPS)/init_barrier(\&empty[stage], 1)/
// expect: exit 1
// expect: says counts 1 arrival, and at least 8 threads arrive on it
// expect: edits init_barrier(&empty[stage], 1)
