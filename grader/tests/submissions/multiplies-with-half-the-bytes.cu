// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/sizeof(stage))/sizeof(stage::a))/
// expect: exit 1
// expect: says bytes
// Only the bytes of a are announced.
