// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/rank \* SLICE/(CLUSTER - 1 - rank) * SLICE/
// expect: exit 0
// Which block loads which slice does not matter.
