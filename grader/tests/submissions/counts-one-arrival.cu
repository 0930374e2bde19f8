// submission: lab8/1-barrier
// after: solutions/lab8/1-barrier.cu
// change: s/init_barrier(&filled, TILE)/init_barrier(\&filled, 1)/
// expect: exit 1
// expect: says 1 broken
// expect: edits init_barrier(&filled, 1);
// The report begins at a line that is given: the place to edit is the one that was written.
