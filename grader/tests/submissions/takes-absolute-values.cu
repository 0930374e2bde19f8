// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/neighbours - row/fabsf(neighbours) - row/
// expect: exit 1
// expect: says out[
// expect: silent about breaks the rule
// Right only as long as no number is negative.
