// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/TILE = 1024/TILE = 1536/
// change: s/static_cast<uint32_t>(min.*;/blockIdx.x + 1 < gridDim.x ? TILE : count % TILE;/
// asks: grade
// expect: exit 1
// A whole number of tiles leaves no rest: the last tile gets no number. 1536 is no power of two.
