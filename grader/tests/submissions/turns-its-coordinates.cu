// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/tile_x - static_cast<int32_t>(MARGIN),$/tile_y - 1,/
// change: s/^ *tile_y - 1, &loaded/tile_x - static_cast<int32_t>(MARGIN), \&loaded/
// expect: exit 1
// expect: says 2-tiles-2d breaks the rule tensor-coordinate
// expect: says x, then y
