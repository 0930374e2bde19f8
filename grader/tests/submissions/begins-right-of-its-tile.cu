// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/tile_x - static_cast<int32_t>(MARGIN)/tile_x + static_cast<int32_t>(MARGIN)/
// expect: exit 1
// expect: says begins MARGIN columns to the right of the tile, and not to its left
// expect: edits TODO(2)
