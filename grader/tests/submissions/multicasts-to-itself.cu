// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/(1 << CLUSTER) - 1/1 << rank/
// expect: exit 1
// expect: says its own bit, that of block 0 of the cluster, is the only one
// expect: says For all blocks of the cluster the mask is 0x3.
// expect: silent about set its bit
// Each block keeps its slice, and waits for that of the other one.
