// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/a + 2 \* i, b + 2 \* i/a + i, b + i/
// expect: exit 1
// expect: says each product of a step begins 8 numbers of k behind the one before it, not 16
// expect: edits TODO(3)
