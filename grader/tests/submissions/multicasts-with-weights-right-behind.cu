// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/weights_map, weights, sets/weights_map, matrix + rows * columns, sets/
// expect: exit 1
// expect: says computes a wrong result
// expect: silent about breaks the rule
// The weights may lie anywhere.
