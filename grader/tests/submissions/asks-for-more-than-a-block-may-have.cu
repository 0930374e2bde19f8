// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/STAGES = 2;/STAGES = 8;/
// expect: exit 1
// expect: says cudaErrorInvalidValue
// expect: says was asked for 393216 bytes of dynamic shared memory
// expect: says the most for this kernel is 228192
// expect: edits cudaError_t launch_phase_reuse
