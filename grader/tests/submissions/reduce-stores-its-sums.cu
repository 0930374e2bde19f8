// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/cp_reduce_async_bulk_shared_to_global_add/cp_async_bulk_shared_to_global/
// expect: exit 1
// expect: says let the copies add
// expect: edits cp_async_bulk_shared_to_global
