// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/ - here;/ - fmaxf(here, -3e38f);/
// expect: exit 1
// expect: says computes a wrong result
// expect: silent about breaks the rule
// A NaN in the input becomes a number: fmaxf returns its other argument.
