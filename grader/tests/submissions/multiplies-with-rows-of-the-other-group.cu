// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/a + group \* GROUP_ROWS/a + (1 - group) * GROUP_ROWS/
// expect: exit 1
// expect: says c[0][0]
// expect: silent about breaks the rule
