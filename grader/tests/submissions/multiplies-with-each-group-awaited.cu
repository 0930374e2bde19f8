// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/wgmma_wait_until_pending<1>();/wgmma_wait_until_pending<0>();/
// change: s/if (done > 0 && \(.*\)\[last\]/if (\1[at.stage]/
// change: s/^  if (threadIdx.x % GROUP == 0) arrive(&s.empty\[last\]);//
// expect: exit 0
// expect: says passes
// Each group is waited for at once: slower, and right.
