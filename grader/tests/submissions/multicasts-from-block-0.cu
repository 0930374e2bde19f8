// submission: lab10/4-multicast
// after: solutions/lab10/4-multicast.cu
// change: s/const uint32_t slice = .*/for (uint32_t slice = rank * HEIGHT; slice < HEIGHT; slice += SLICE)/
// expect: exit 0
// Block 0 loads every slice, for all.
