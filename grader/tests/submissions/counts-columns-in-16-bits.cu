// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/(sums + mine.column, part/(sums + static_cast<uint16_t>(mine.column), part/
// asks: grade
// expect: exit 1
// expect: says a hidden case: rows 2
