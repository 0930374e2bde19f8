// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/STAGE_QUADS, panel + first_row \* matrix.quads/STAGE_QUADS, panel + first_row * quads/
// expect: exit 1
// expect: says rows are counted by the panel's width
// expect: edits TODO(3)
