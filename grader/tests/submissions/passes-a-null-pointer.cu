// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/reinterpret_cast<uint32_t \*>(data), count/static_cast<uint32_t *>(nullptr), count/
// expect: exit 1
// expect: says a null pointer, or close to one.
// expect: says Look at what the launch passes to the kernel
// expect: silent about as short as what is left
