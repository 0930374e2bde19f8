// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/^  __shared__ uint64_t full.*/  extern __shared__ uint32_t stages[];\n&/
// expect: exit 1
// expect: says error: declaration is incompatible with "int4 stages[]"
// expect: says All such arrays are the same memory
// expect: edits extern __shared__ uint32_t stages[];
