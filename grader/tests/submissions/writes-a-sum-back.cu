// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s|^  const uint4 sum = consume.*|&\
// change:   if (blockIdx.y == 1) {\
// change:     volatile uint32_t *const s = sums + 4 * first_quad + threadIdx.x;\
// change:     if (threadIdx.x < 4 * quads) *s = *s;\
// change:   }|
// expect: exit 1
// expect: says computes a wrong result
// What other blocks add between the read and the write is lost.
