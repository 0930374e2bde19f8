// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/float result\[TILE_HEIGHT\]\[TILE_WIDTH\]/float result[TILE_HEIGHT][TILE_WIDTH \/ 2]/
// expect: exit 1
// expect: says 2-tiles-2d breaks the rule out-of-bounds
// expect: says the end of `loaded` (shared offset
// expect: edits result[y][x] =
