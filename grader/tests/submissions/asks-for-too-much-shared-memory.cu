// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/constexpr uint32_t TILE = 1024/constexpr uint32_t TILE = 65536/
// expect: exit 1
// expect: says does not compile
// expect: says declared with a size, they may have 48 KiB together
// expect: edits __shared__
