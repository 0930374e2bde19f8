// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/(1 << CLUSTER) - 1/2 >> rank/
// expect: exit 1
// expect: says 1 broken
// expect: says its own bit, that of block 0 of the cluster, is not in it
// expect: says set its bit in the mask: 1 << 0
// expect: silent about map's whole box
// A block sends its slice away and keeps nothing.
