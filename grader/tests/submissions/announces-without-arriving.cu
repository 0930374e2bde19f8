// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/expect_bytes_and_arrive/expect_bytes/
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule deadlock
// expect: says expect_bytes() is no
// expect: edits expect_bytes(&loaded, bytes);
