// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/tiles_per_row = (width + TILE_WIDTH - 1)/tiles_per_row = (width + TILE_WIDTH - LESS)/
// change: s/LESS/(width % TILE_WIDTH == 1 \&\& width > 1 ? 2 : 1)/
// asks: grade
// expect: exit 1
// expect: says computes a wrong result
// One column beyond the last whole tile of 240.
