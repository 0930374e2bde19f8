// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/wait(&s.empty\[at.stage\], at.parity ^ 1)/wait(\&s.empty[at.stage], at.parity)/
// expect: exit 1
// expect: says deadlock
// The loading thread waits for a stage that nobody has ever filled.
