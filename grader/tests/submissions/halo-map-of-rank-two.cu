// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/options.rank = 3;/options.rank = 2;/
// expect: exit 1
// expect: says breaks the rule bad-tensor-map
// expect: says The map describes a tensor of rank 2, and the instruction copies tiles of rank 3
// expect: says Encode the map with rank 3, that is 3 sizes, 2 strides and a box of 3 sizes
// expect: edits TODO(1)
// A good map, but not for copies of three dimensions. It is encoded in a line that was given.
