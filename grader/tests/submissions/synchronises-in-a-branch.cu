// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: /TODO(4)/,/END/s/__syncthreads();/if (threadIdx.x < 100) __syncthreads();/
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule divergent-barrier
// expect: says only 100 of the block's 160 threads: thread 100 left
// expect: edits if (threadIdx.x < 100) __syncthreads();
