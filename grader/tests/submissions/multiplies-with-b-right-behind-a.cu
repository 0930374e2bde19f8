// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/encode_matrix(&b_map, b, n, k/encode_matrix(\&b_map, a + m * k, n, k/
// expect: exit 1
// expect: says computes a wrong result
// expect: silent about breaks the rule
// The two factors may lie anywhere.
