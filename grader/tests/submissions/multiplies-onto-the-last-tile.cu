// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/done + i > 0/1/
// change: s/float sums\[128\];/float sums[128] = {};/
// expect: exit 1
// expect: says c[
// The sums are cleared once, and every tile adds to those of the one before.
