// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: /expect_bytes_and_arrive(/d
// change: s/^  __syncthreads(); .*/  expect_bytes_and_arrive(\&loaded, bytes);\n&/
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule barrier-not-initialised
// expect: says No thread has initialised the barrier `loaded`
// expect: says is too early
// expect: edits expect_bytes_and_arrive(&loaded, bytes);
