// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/TILE_WIDTH, TILE_HEIGHT);/BOX_WIDTH, BOX_HEIGHT);/
// expect: exit 1
// expect: says 2-tiles-2d breaks the rule out-of-bounds
// expect: says 256 x 22 elements of 4 bytes
// expect: says is this the map that belongs to this
// expect: edits tensor_map_encode_2d(&out_map
