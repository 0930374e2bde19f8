// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/ring, sums, matrix, rows,/ring, sums, matrix, rows - (rows % 64 == 63),/
// asks: grade
// expect: exit 1
// expect: says computes a wrong result
// Right for any number of rows that is not one less than a multiple of 64.
