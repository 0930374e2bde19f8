// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/^    if (threadIdx.x == 0) tma_wait_until_read_pending<0>();//
// expect: exit 1
// expect: says rule buffer-in-flight
// expect: edits cp_async_bulk_tensor_3d_shared_to_global(
// The wait is missing where the store is, not where the next results are computed.
