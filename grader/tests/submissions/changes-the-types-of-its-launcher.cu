// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/int32_t \*data, size_t count, cuda/int32_t *data, int count, cuda/
// expect: exit 1
// expect: says The lab's header declares it so: launch_bulk_copy_1d(int32_t *data, size_t count,
// expect: edits int count
