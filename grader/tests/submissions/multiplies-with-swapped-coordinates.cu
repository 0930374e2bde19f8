// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/b_map, k, to.column/b_map, to.column, k/
// expect: exit 1
// expect: says the coordinates of b's tile have changed places
// expect: edits TODO(2)
