// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/at = x + MARGIN/at = x + 1/
// expect: exit 1
// expect: says out[
// As if the box's margin had one column.
