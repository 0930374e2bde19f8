// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/tile_y - 1, &loaded/tile_y − 1, \&loaded/
// expect: exit 1
// expect: says holds a letter that only looks like `-`
// expect: edits tile_y
