// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/HEIGHT = 32;/HEIGHT = 2;/
// expect: exit 1
// expect: says the copy engine may not do all the sums
