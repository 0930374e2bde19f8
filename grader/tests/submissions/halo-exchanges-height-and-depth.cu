// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/1\] = height, options.global_dim\[2\] = depth/1] = depth, options.global_dim[2] = height/
// expect: exit 1
// The map's dimensions are in another order than its strides.
