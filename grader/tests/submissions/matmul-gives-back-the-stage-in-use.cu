// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/arrive(&s.empty\[last\]);$/arrive(\&s.empty[at.stage]);/
// change: /TODO(5)/,/END SOLUTION/s/at\.stage/last/
// expect: exit 1
// expect: says Two lines arrive on this barrier
