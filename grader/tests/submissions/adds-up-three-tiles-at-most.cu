// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/n < mine.tiles/n < min(mine.tiles, 3u)/
// asks: grade
// expect: exit 1
// expect: says computes a wrong result
// A share that is cut beyond the cases that a student sees.
