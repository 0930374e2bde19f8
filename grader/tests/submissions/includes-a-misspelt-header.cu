// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/"tma-interface.cuh"/"tma_interface.cuh"/
// expect: exit 1
// expect: says Did you mean #include "tma-interface.cuh"?
// expect: edits tma_interface.cuh
