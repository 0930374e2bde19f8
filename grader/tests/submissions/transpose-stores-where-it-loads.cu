// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/&out_map, at.y, at.x/\&out_map, at.x, at.y/
// expect: exit 1
// expect: says each tile is turned, but stored at the place that it came from
// expect: edits TODO(5)
