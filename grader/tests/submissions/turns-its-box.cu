// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/BOX_WIDTH, BOX_HEIGHT);/BOX_HEIGHT, BOX_WIDTH);/
// expect: exit 1
// expect: says 2-tiles-2d encodes a tensor map that is not allowed
// expect: says are the box's sides the right way round?
// expect: edits tensor_map_encode_2d(&in_map
