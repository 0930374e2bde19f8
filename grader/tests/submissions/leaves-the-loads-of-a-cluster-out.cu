// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: /TODO(2)/,/END SOLUTION/{/BEGIN SOLUTION/,/END SOLUTION/d;}
// expect: exit 1
// expect: says nobody has arrived and no load
// expect: edits TODO(2)
