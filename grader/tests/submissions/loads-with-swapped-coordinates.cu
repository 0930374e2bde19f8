// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/tile_x - static_cast/tile_y - static_cast/;s/tile_y - 1,/tile_x - 1,/
// expect: exit 1
// expect: says 20 rows further up and 20 columns to the right
// expect: says Are two coordinates the wrong way round?
