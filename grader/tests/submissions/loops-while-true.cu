// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/^    tile\[i\] += 1;/    while (true)\n      tile[i] += 1;/
// expect: exit 1
// expect: says 1-bulk-copy-1d breaks the rule endless-loop
// expect: says nothing leads out of this loop, as in while (true) without a break
// expect: edits tile[i] += 1;
