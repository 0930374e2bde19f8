// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/sum += \(tile.*\);/sum += min(\1, 0xfffffffeu);/
// expect: exit 1
// expect: says computes a wrong result
// One number of 2^32 is taken for another one.
