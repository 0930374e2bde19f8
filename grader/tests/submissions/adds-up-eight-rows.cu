// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/HEIGHT = 32;/HEIGHT = 8;/
// expect: exit 0
// Low tiles: more sums leave, and the threads have added up seven eighths of the numbers.
