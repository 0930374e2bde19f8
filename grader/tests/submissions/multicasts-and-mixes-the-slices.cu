// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/to.tile\[slice\]/to.tile[SLICE - slice]/
// expect: exit 1
// expect: says sums[
// Each slice lands where the other one belongs.
