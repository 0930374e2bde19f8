// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/box\[y + 1\]/box[y]/;s/box\[y\]\[column\] + box\[y + 2\]/box[y - 1][column] + box[y + 1]/
// expect: exit 1
// expect: says bytes before `box`
// expect: says An index is below 0 here
// expect: edits box[y - 1]
