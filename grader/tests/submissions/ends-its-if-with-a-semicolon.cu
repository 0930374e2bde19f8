// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: N;s/  if (threadIdx.x == 0) {\n\(.*TODO(5)\)/  if (threadIdx.x == 0);\n  {\n\1/;P;D
// expect: exit 1
// expect: says a ; stands behind the condition: so the block below it is run in any case.
// expect: edits if (threadIdx.x == 0);
