// submission: lab8/8-tensor-map
// after: solutions/lab8/8-tensor-map.cu
// change: s/tensor_map_encode_2d(&map/tensor_map_encode_2d(map/
// expect: exit 1
// expect: says put & before the name
// expect: silent about TENSOR_MAP_CALLER
