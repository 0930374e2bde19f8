// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/COLUMN_DEPTH = 10/COLUMN_DEPTH = 1 << 20/
// expect: exit 0
// A changed header, which the submission brings: no column is cut.
