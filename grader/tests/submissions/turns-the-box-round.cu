// submission: lab8/8-tensor-map
// after: solutions/lab8/8-tensor-map.cu
// change: s/BOX_WIDTH, BOX_HEIGHT);/BOX_HEIGHT, BOX_WIDTH);/
// expect: exit 1
// expect: says computes a wrong result
// expect: edits tensor_map_encode_2d
// expect: silent about (a guess)
// A wrong result names no line. One step alone was written, so the mistake lies in it.
