// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/BOX_WIDTH, BOX_HEIGHT)/BOX_WIDTH * sizeof(float), BOX_HEIGHT)/
// expect: exit 1
// expect: says boxes count elements, not bytes
// expect: edits tensor_map_encode_2d(&in_map
