// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/SWIZZLE_128B/SWIZZLE_NONE/
// change: s/^    const uint32_t y = thr.*/    for (uint32_t k = threadIdx.x; k < 2048; k += THREADS) {/
// change: s/^    const int4 atom.*/      const uint32_t x = k % HALF, y = (k \/ HALF + x) % SIDE;/
// change: s/^    turned.*atom\.x;/      turned[half * HALF + x][y] = WORDS[y * HALF + x];/
// change: s/WORDS/reinterpret_cast<const int32_t *>(tile[half])/
// change: s/^    turned\[x + [12]\].*//
// change: s/^    const uint32_t x = half.*//
// change: s/^    turned\[x + 3\].*/    }/
// expect: exit 0
// No swizzle and no conflict: all lanes have a column of their own in both tiles.
