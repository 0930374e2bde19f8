// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/to_global(&out_map/to_global(\&in_map/
// expect: exit 1
// expect: says is this the map that belongs to this buffer
// expect: edits to_global(&in_map
// expect: says (a guess)
// Two copies name one map, which fits only one of them.
