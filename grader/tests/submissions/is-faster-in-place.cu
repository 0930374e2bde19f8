// submission: 1-bulk-copy-1d
// after: solutions/lab9/faster/1-bulk-copy-1d.cu
// expect: exit 0
// The faster variant is as correct as the solution.
