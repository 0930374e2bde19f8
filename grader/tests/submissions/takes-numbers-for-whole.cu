// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/0.25f \* neighbours - row\[column\]/0.25f * (static_cast<int>(neighbours) - WHOLE)/
// change: s/WHOLE/4 * static_cast<int>(row[column])/
// expect: exit 1
// expect: says computes a wrong result
// Right for whole numbers only.
