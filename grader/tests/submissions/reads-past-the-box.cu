// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/box\[y + 2\]/box[y + 3]/
// expect: exit 1
// expect: says names `box`, but the byte lies in `result`
// expect: says Look at the indices of `box` in that line first
// expect: edits box[y + 3][column]
