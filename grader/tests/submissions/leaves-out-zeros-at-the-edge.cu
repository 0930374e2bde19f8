// submission: lab8/9-over-the-edge
// after: solutions/lab8/9-over-the-edge.cu
// change: s/column < width && row < height)/column < width \&\& row < height \&\& WORTH)/
// change: s/WORTH/(box[threadIdx.y][threadIdx.x] || column + SHIFT >= width)/
// expect: exit 1
// expect: says computes a wrong result
// Zeros of the input are results, too.
