// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/done + i > 0/false/
// expect: exit 1
// expect: says only the last 16 numbers of k count
// expect: edits TODO(3)
