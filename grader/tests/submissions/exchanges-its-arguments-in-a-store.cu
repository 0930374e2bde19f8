// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/shared_to_global(data + first, tile, bytes)/shared_to_global(tile, data + first, bytes)/
// expect: exit 1
// expect: says shared and global memory have changed
// expect: says (a guess)
// The compiler names no line, and there are two copies.
