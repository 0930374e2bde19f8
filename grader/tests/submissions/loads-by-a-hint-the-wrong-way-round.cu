// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/\(cp_async_bulk_global_to_shared_hint\)(tile, data + first,/\1(data + first, tile,/
// expect: exit 1
// expect: says destination
// Some releases of nvcc refuse it; with others the load runs out of bounds.
// expect: edits cp_async_bulk_global_to_shared_hint(data + first
