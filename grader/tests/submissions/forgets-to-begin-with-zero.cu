// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/uint4 sum = make_uint4(0, 0, 0, 0);.*/uint4 sum;/
// expect: exit 1
// expect: says computes a wrong result
// A register that nobody has written holds what was there before.
