// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/box\[y\]\[column\] + box/box[y][column + box/
// expect: exit 1
// expect: says a [ of this line is never closed: a ] is missing
// expect: edits box[y][column + box
