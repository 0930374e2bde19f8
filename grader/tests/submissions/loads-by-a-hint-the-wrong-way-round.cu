// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/\(cp_async_bulk_global_to_shared_hint\)(tile, data + first,/\1(data + first, tile,/
// expect: exit 1
// expect: says The source of the bulk copy, 0x0, is not in global memory, and its destination
// expect: says Are destination and source the right way round? The destination comes first.
// expect: edits cp_async_bulk_global_to_shared_hint(data + first
// For a load with a hint the compiler does not notice the mistake, and emits an invalid address.
