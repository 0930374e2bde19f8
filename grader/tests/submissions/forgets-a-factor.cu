// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/0.25f \* neighbours - row\[column\]/neighbours - row[column]/
// expect: exit 1
// expect: says They are what comes out if the sum is not divided by 4.
