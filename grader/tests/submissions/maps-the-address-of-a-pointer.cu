// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/\(tensor_map_encode_2d(&in_map, .*\), in, width/\1, \&in, width/
// expect: exit 1
// expect: says breaks the rule out-of-bounds
// expect: says The map says that its tensor
// expect: says Is it `&` of a pointer, or a buffer of the host?
// expect: edits tensor_map_encode_2d(&in_map
