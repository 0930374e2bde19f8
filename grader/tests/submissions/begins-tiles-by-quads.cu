// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/STAGE_QUADS, panel + first_row \* matrix.quads/STAGE_QUADS, panel + first_row/
// expect: exit 1
// expect: says as many quads on as rows lie above
// expect: edits TODO(3)
