// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/cp_async_bulk_global_to_shared_hint(tile, /cp_async_bulk_global_to_shared_hint(tile + 1, /
// expect: exit 1
// expect: says breaks the rule misaligned-address
// expect: says Declare the buffer alignas(16) and begin at its start
// expect: silent about elements before it
