// submission: lab8/1-barrier
// after: solutions/lab8/1-barrier.cu
// change: s/  arrive(&filled);.*/  __syncthreads();/; /wait(&filled, 0)/d
// expect: exit 1
// expect: says the threads have to meet at a barrier in shared memory
// The barrier is initialised, and nobody uses it.
