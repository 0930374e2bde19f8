// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/tensor_map_encode_2d(&out_map/tensor_map_encode_2d(\&in_map/
// expect: exit 1
// expect: says breaks the rule bytes-announced
// expect: says another one encoded over it?
