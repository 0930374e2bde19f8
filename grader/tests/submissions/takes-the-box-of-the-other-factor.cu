// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/encode_matrix(&b_map, b, n, k, COLUMNS/encode_matrix(\&b_map, b, n, k, ROWS/
// expect: exit 1
// expect: says issues another copy of this phase
// expect: says a_map, k, to.row
// expect: says b_map, k, to.column
