// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/(tile, data + first, bytes/(tile, data + first * 4, bytes/
// expect: exit 1
// expect: says a thread changes global memory asynchronously, in one block
// expect: says one of the two addresses is wrong
// expect: says (a guess)
// Which of the two is wrong nobody can know.
