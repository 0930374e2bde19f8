// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: /TODO(4)/,/END/s/__syncthreads();/if (threadIdx.x < 100)\n__syncthreads();\nelse __syncthreads();/
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule divergent-barrier
// expect: says Warp 3 has 32 threads: 4 stand at the barrier in line
// expect: edits __syncthreads();
