// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/STAGES = 7/STAGES = 3/
// expect: exit 1
// expect: says stages have to be loaded again while others are in flight
// Nothing is on its way while a round is computed.
