// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s,i = threadIdx.x; i < length; i += THREADS,i = 0; i < (threadIdx.x ? 0 : length); i++,
// change: s,tile\[i\] += 1,for (int n = 0; n < 12; n++) ((volatile uint32_t *)tile)[i] += n < 1,
// expect: exit 0
// expect: says The exercise passes
// expect: says is predicted to reach 0.0
