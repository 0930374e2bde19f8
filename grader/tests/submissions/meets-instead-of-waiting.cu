// submission: lab8/2-parity
// after: solutions/lab8/2-parity.cu
// change: s/wait(&filled, round % 2);/__syncthreads();/
// expect: exit 1
// expect: says The barrier counts as many arrivals as the block has threads.
// The threads meet, but nobody waits for the barrier that all arrive on.
