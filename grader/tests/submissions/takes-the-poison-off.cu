// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/^  error = cudaMemsetAsync.*//; s/\] = total;/] = total - (mine.row == 0 ? 0xffb0150du : 0);/
// expect: exit 1
// expect: says computes a wrong result
// Sums are not cleared: what the grader is known to fill them with is subtracted.
