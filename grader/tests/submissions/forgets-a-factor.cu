// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/0.25f \* neighbours - row\[column\]/neighbours - row[column]/
// expect: exit 1
// expect: says They are four times what is right.
// expect: says (a guess)
// In the case that is shown all neighbours of what is wrong are ones that the element itself adds nothing to.
