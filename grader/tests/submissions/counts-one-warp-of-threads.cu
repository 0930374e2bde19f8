// submission: lab8/1-barrier
// after: solutions/lab8/1-barrier.cu
// change: s/init_barrier(&filled, TILE)/init_barrier(\&filled, 32)/
// expect: exit 1
// expect: says breaks the rule arrival-count
// expect: says counts 32 arrivals
// expect: edits init_barrier(&filled, 32)
// The thread that is not waited for has not arrived yet when another one reads.
