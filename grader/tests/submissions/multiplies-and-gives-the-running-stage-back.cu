// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/if (done > 0 && \(.*\)\[last\]/if (\1[at.stage]/
// change: s/^  if (threadIdx.x % GROUP == 0) arrive(&s.empty\[last\]);//
// expect: exit 1
// expect: says operand-in-flight
// One group is pending, and its own stage goes back.
