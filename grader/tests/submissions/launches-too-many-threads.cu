// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/, THREADS, 0, stream/, 2048, 0, stream/
// expect: exit 1
// expect: says cudaErrorInvalidValue: invalid argument
// expect: says add_one was launched with 2048 threads per block (2048 x 1 x 1)
// expect: says from 1 to 160 here, which is its __launch_bounds__
// expect: says 1-bulk-copy-1d.cu:71
