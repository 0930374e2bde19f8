// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/__syncwarp();/if (threadIdx.x < 9) __syncwarp();/
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule warp-sync-mask
// expect: edits if (threadIdx.x < 9) __syncwarp();
