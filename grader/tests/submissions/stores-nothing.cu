// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: 63,67d
// expect: exit 1
// expect: says computes a wrong result
// expect: says nothing was written there
// expect: says Nor does it do what is asked: every element has to be written by a tensor copy.
// expect: says 2-tiles-2d.cu:59
// What is missing is said beside what comes of it.
