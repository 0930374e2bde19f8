// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: /^    if (threadIdx.x == 0) tma_wait_until_read_pending<0>();$/d
// change: s/^    __syncthreads();$/&\n    if (threadIdx.x == 0) tma_wait_until_read_pending<1>();/
// expect: exit 1
// expect: says leaves the newest 1 group: this store is in it
// expect: edits tma_wait_until_read_pending<1>();
