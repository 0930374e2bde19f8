// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/cp_async_bulk_tensor_2d_shared_to_global(/if (result[0][0] != 0 || result[0][1] != 0) &/
// expect: exit 1
// A result of zeros has to be stored as well: the memory holds something else.
