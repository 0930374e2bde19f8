// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/tile_x, tile_y, result)/tile_x, tile_y, box)/
// expect: exit 1
// expect: says They are what comes out if the box is stored, and not the result.
// expect: edits TODO(5)
