// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/if (rows == 0) return sum;/if (rows == 0) return;/
// expect: exit 1
// expect: says The compiler had warned:
// expect: says should return a value
// expect: edits if (rows == 0) return;
