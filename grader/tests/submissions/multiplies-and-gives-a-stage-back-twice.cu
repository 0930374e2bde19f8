// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/if (done > 0 \&\& threadIdx.x % GROUP == 0)/if (threadIdx.x % GROUP == 0)/
// expect: exit 1
// expect: says 5-matmul breaks the rule
// At a tile's first step no group has ended, and yet a stage goes back.
