// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/in, width, height, pitch_bytes/in, width, height, pitch_bytes * 4/
// expect: exit 1
// expect: says strides count bytes
// expect: edits tensor_map_encode_2d(&in_map
