// submission: lab8/8-tensor-map
// after: solutions/lab8/8-tensor-map.cu
// change: s/in, width, height, width/in, width, width, width/
// expect: exit 1
// expect: says 8-tensor-map computes a wrong result
