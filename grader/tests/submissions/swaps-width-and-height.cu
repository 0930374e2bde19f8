// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/in, width, height, pitch_bytes/in, height, width, pitch_bytes/
// expect: exit 1
// expect: says 2-tiles-2d breaks the rule out-of-bounds
// expect: says The map says 7 x 13 elements of 4 bytes, rows 64 bytes apart
// expect: says Are width and height the right way round
// expect: silent about bytes = min(
// expect: edits tensor_map_encode_2d(&in_map
