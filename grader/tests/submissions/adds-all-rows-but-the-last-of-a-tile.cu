// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/STAGE_QUADS, rows, quads, mine)/STAGE_QUADS, rows - 1, quads, mine)/
// expect: exit 1
// expect: says They lack the last row of each tile, if a tile has
