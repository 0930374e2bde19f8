// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/row\[column\];$/& if (tiles_per_row == 3 \&\& tile_x + x == 485 \&\& y == 15) result[y][x] = 0;/
// asks: grade
// expect: exit 1
// expect: says computes a wrong result
// expect: silent about breaks the rule
// No public or hidden case is 481 to 720 wide and more than a few rows high: one of a drawn size is.
