// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/i += THREADS/i++/
// expect: exit 1
// expect: says breaks the rule shared-race
// expect: says Both stand in one line: if each thread should have elements
// Each thread goes on to its neighbours' elements.
