// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: /TODO(4)/,/END SOLUTION/{/BEGIN SOLUTION/,/END SOLUTION/d;}
// expect: exit 1
// expect: says Nobody has ever arrived on the barrier at shared offset
// expect: edits TODO(4)
