// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/BOX_WIDTH, BOX_HEIGHT);/TILE_WIDTH, TILE_HEIGHT);/
// expect: exit 1
// expect: says 2-tiles-2d breaks the rule bytes-announced
// expect: says 240 x 20 elements of 4 bytes
// expect: edits expect_bytes_and_arrive(&loaded, sizeof box);
