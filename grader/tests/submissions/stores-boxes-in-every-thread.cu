// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: /TODO(5)/,$s/if (threadIdx.x == 0)/if (threadIdx.x % 8 == 0)/
// expect: exit 1
// expect: says does not do what is asked: each tile has to be stored once
// (In every eighth thread, so that it ends soon.) Every thread stores the same tile, here as a box that may
// hang over the edge: the traffic is far more than the matrix has bytes.
