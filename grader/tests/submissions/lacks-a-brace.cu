// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/^    tile\[i\] += 1;/&\n    {/
// expect: exit 1
// expect: says Above this line a } is missing.
// expect: edits extern "C"
