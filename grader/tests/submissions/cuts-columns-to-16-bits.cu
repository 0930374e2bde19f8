// submission: lab8/8-tensor-map
// after: solutions/lab8/8-tensor-map.cu
// change: s/x = blockIdx.x \* BOX_WIDTH,/x = static_cast<uint16_t>(blockIdx.x * BOX_WIDTH),/
// asks: grade
// expect: exit 1
// A matrix of more columns than 16 bits count.
