// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: /expect_bytes_and_arrive/d
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule deadlock
// expect: says nobody has announced them
// expect: edits cp_async_bulk_global_to_shared_hint(tile
