// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/SWIZZLE_128B/SWIZZLE_NONE/
// change: s/^  const uint32_t y = threadIdx.*/  for (uint32_t k = threadIdx.x; k < 1024; k += THREADS) {/
// change: s/^  const int4 atom.*/    const uint32_t x = k % SIDE, y = (k \/ SIDE + x) % SIDE;/
// change: s/^  turned.*atom\.x;/    turned[x][y] = reinterpret_cast<const int32_t *>(tile)[y * SIDE + x];/
// change: s/^  turned\[a \* ATOM + [12]\].*//
// change: s/^  turned\[a \* ATOM + 3\].*/  }/
// expect: exit 0
// No swizzle and no conflict: all lanes have a column of their own in both tiles.
