// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/^    tile\[i\] += 1;/& }/
// expect: exit 1
// expect: says 1-bulk-copy-1d does not compile
// expect: says a } too many
