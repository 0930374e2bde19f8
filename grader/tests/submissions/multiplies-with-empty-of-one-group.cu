// submission: lab10/5-matmul
// after: solutions/lab10/5-matmul.cu
// change: s/init_barrier(&s.empty\[i\], MULTIPLIERS)/init_barrier(\&s.empty[i], 1)/
// expect: exit 1
// expect: says 5-matmul breaks the rule
// A stage counts as empty when one of the two warpgroups has given it back.
