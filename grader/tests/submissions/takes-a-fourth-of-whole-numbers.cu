// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/0.25f \* neighbours/1 \/ 4 * neighbours/
// expect: exit 1
// expect: says the neighbours count nothing
