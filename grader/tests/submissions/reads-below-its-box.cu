// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/const float neighbours = box\[y\]/const float neighbours = box[y - 1]/
// expect: exit 1
// expect: says 2-tiles-2d breaks the rule out-of-bounds
// expect: says bytes before `box`
