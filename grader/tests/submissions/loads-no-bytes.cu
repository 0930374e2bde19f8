// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/rows \* quads \* sizeof(int4)/(rows - 1) * quads * sizeof(int4)/
// change: s/matrix.quads, rows, quads/matrix.quads, rows - 1, quads/
// expect: exit 1
// expect: says so does shared memory that nobody has
// expect: silent about breaks the rule bytes-announced
// The smallest tile has one row: a copy of no bytes, and none announced.
