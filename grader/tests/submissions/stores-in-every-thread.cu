// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: /TODO(4)/,/TODO(5)/s/if (threadIdx.x == 0)/if (true)/
// expect: exit 1
// expect: says breaks no rule, but does not do what is asked: each tile has to be stored once
// expect: says 160 times the output
// expect: edits start the copy back, close its group
// expect: says (a guess)
// 160 threads store the same tile: the result is correct, and the traffic is 160 times what it should be.
