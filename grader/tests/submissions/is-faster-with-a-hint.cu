// submission: 2-tiles-2d
// after: solutions/lab9/faster/2-tiles-2d.cu
// expect: exit 0
// The faster variant is as correct as the solution.
