// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/out + array.first_quad(tile), stages/out + static_cast<size_t>(n) * array.tile_quads, stages/
// expect: exit 1
// expect: says stores other values to them, in another block
// It is correct where one block works on all tiles, one after another.
