// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/arrive(&loaded, bytes)/arrive(\&loaded, length)/
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule bytes-announced
// expect: says elements instead of bytes?
// expect: silent about expect_bytes_and_arrive(bar, 4080)
// expect: edits expect_bytes_and_arrive(&loaded, length);
