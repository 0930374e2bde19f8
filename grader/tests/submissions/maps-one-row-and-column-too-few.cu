// submission: lab8/8-tensor-map
// after: solutions/lab8/8-tensor-map.cu
// change: s/in, width, height,/in, width - 1, height - 1,/
// expect: exit 1
// expect: says All are in the last row and in the last column
// expect: edits tensor_map_encode_2d
