// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/static_cast<uint32_t>((rows + HEIGHT - 1) \/ HEIGHT)/min(4096u, &)/
// asks: grade
// expect: exit 1
// expect: says computes a wrong result
// A grid that is cut somewhat beyond the cases that a student sees.
