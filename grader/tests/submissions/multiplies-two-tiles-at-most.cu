// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/tile < w.down \* w.across;/tile < min(w.down * w.across, 2 * gridDim.x);/
// asks: grade
// expect: exit 1
// expect: says All of them still hold the poison
// expect: silent about breaks the rule
// A block ends after two tiles, however many there are.
