// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/^    tile\[i\] += 1;/&\n    {/
// expect: exit 1
// expect: says the { of this line is never closed: a } is missing
// expect: says The compiler noticed it only at line
// expect: edits {
