// submission: lab8/9-over-the-edge
// after: solutions/lab8/9-over-the-edge.cu
// change: s/y = blockIdx.y \* BOX_HEIGHT;/y = static_cast<uint16_t>(blockIdx.y * BOX_HEIGHT);/
// asks: grade
// expect: exit 1
// A matrix of more rows than 16 bits count.
