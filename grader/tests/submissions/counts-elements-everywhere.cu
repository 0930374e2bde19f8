// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/length \* sizeof tile\[0\]/length/
// expect: exit 1
// expect: says Is 1020 a number of elements?
// expect: says are 4080, which is
// expect: silent about in bulk and
