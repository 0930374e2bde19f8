// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/(1 << CLUSTER) - 1/2 >> rank/
// expect: exit 1
// expect: says 1 broken
// expect: says Count all copies that land in this block
// expect: says mask has this block's bit
// expect: silent about map's whole box
// A block sends its slice away and keeps nothing.
