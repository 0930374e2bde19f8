// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/, THREADS, 0, stream>>>/, THREADS>>>/
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule stream-order
// expect: says Kernel `add_one` in the default stream writes memory that belongs to the launcher
// expect: says Do everything in the stream that the launcher is given
