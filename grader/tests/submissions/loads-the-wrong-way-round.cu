// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/\(cp_async_bulk_global_to_shared_hint\)(tile, data + first,/uint32_t *volatile from = tile;\
// change:     \1(data + first, from,/
// expect: exit 1
// expect: says is not in global memory, and its destination
// expect: says The destination comes first
// expect: edits cp_async_bulk_global_to_shared_hint(data + first
