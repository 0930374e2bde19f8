// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/uint32_t sum = 0;/double sum = 0;/
// change: s/sum += \(tile.*\);/sum += static_cast<int32_t>(\1);/
// change: s/sum_of_column(sum,/sum_of_column(static_cast<uint32_t>(static_cast<int32_t>(sum)),/
// expect: exit 1
// expect: says sums[
// expect: silent about breaks the rule
// A double that is too large for an int becomes the largest one. Sums have to wrap around.
