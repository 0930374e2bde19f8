// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/(1 << CLUSTER) - 1/2 >> rank/
// expect: exit 1
// expect: says 1 broken
// A block sends its slice away and keeps nothing.
