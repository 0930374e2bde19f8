// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: /TODO(5)/,/^}/{/if (threadIdx/,/^  }/d;}
// expect: exit 1
// expect: says computes a wrong result
// expect: says nothing was written there
// expect: says It also does not do what is asked: every element has to be written by a tensor copy.
// expect: says 2-tiles-2d.cu:61
// The report names the missing step beside its consequence.
