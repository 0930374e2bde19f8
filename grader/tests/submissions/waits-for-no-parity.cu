// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/wait(&loaded, 0)/wait(\&loaded)/
// expect: exit 1
// expect: says It is called so: wait(uint64_t *bar, uint32_t parity)
// expect: says That is 2 arguments; 1 is given here.
// expect: silent about uint64_t &bar
// expect: edits wait(&loaded)
