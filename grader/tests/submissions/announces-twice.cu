// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/^    expect_bytes_and_arrive(&loaded, bytes);/&\n    expect_bytes_and_arrive(\&loaded, bytes);/
// expect: exit 1
// expect: says breaks the rule arrival-count
// expect: says arrives at two places in one phase: take one of the two calls away
// expect: says What a chip does then is not defined
// expect: edits expect_bytes_and_arrive(
// Thread 0 announces the bytes, and announces them once more.
