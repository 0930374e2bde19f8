// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/ + row\[column - 1\]/ + row[column]/
// expect: exit 1
// expect: says the number itself is taken in place of the neighbour on the left
// expect: edits TODO(4)
