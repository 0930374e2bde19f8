// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/a + 2 \* i, b + 2 \* i, done + i > 0/a, b, done + i > 0/
// expect: exit 1
// expect: says c[0][0]
// expect: says all of its first 16 numbers of k: the descriptors have to move on
// expect: edits TODO(3)
