// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/reinterpret_cast<uint32_t \*>(data), count/reinterpret_cast<uint32_t *>(\&data), count/
// expect: exit 1
// expect: says far from all device memory (an address of the host?)
// expect: says Is it `&` of a pointer
// expect: says breaks the rule out-of-bounds
// expect: silent about misaligned
