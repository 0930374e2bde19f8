// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/columns \* sizeof \*sums, stream)/columns * sizeof *sums)/
// expect: exit 1
// expect: says breaks the rule stream-order
// expect: edits cudaMemsetAsync
// The last argument is left out: that is the default stream.
