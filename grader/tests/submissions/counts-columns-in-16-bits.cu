// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/(sums + first_column, part/(sums + static_cast<uint16_t>(first_column), part/
// asks: grade
// expect: exit 1
// expect: says a hidden case: rows 2
