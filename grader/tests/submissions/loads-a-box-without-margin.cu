// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/tile_x - static_cast<int32_t>(MARGIN)/tile_x/
// expect: exit 1
// expect: says the box that is loaded begins in the tile's first column
// expect: edits TODO(2)
