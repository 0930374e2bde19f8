// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: /BEGIN SOLUTION/,/END SOLUTION/{/tensor_map_encode/,/);/d;/if (error == cudaSuccess)/d}
// expect: exit 1
// expect: says 2-tiles-2d breaks the rule bad-tensor-map
// expect: says it was never encoded
// expect: silent about __grid_constant__,
// expect: edits TODO(1)
