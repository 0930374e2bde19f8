// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/__shared__ uint64_t loaded/__shared__ int loaded/
// expect: exit 1
// expect: says A barrier is declared so: __shared__ uint64_t bar;
// expect: silent about uint64_t &bar
