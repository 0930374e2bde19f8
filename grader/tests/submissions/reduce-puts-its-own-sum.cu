// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/part\[threadIdx.x\] = total/part[threadIdx.x] = sum/
// expect: exit 1
// expect: says They count one row of each
// expect: edits TODO(2)
