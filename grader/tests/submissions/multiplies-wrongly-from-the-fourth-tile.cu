// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/    store(s, sums, &c_map, {/    if (tile >= 3 * gridDim.x) sums[0] = -sums[0];\n&/
// asks: grade
// expect: exit 1
// expect: says computes a wrong result
// expect: silent about breaks the rule
// A block's first three tiles are right.
