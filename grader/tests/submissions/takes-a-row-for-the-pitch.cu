// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/in, width, height, pitch_bytes/in, width, height, width * 4/
// expect: exit 1
// expect: says that is a row's own bytes: pass the pitch, the bytes from one row to the next
// expect: edits tensor_map_encode_2d(&in_map
