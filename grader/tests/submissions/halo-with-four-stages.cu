// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/STAGES = 7/STAGES = 4/
// expect: exit 0
// One plane on its way will do.
