// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/add_one<<<\(.*\)>>>/add_one<<\1>>/
// expect: exit 1
// expect: says A launch has three < and three >
// expect: edits add_one<<
