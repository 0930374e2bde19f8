// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/tile_x - static_cast<int32_t>(MARGIN),$/tile_x,/; s/^ *tile_y - 1, &loaded/tile_y, \&loaded/
// expect: exit 1
// expect: says case "one tile"
// expect: says the box that is loaded begins at the tile's own corner, without a margin
// expect: silent about case "one element"
