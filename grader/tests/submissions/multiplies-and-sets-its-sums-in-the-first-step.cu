// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/done + i > 0/done > 0/
// expect: exit 1
// expect: says the first 48 numbers of k are missing
// expect: edits TODO(3)
