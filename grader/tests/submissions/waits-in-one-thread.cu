// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/^  wait(&loaded, 0);/  if (threadIdx.x == 0) wait(\&loaded, 0);/
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule tile-before-phase
// expect: says thread 0 of block 0 waits for that load; the thread above has not, and touches the tile
// expect: edits if (threadIdx.x == 0) wait(&loaded, 0);
