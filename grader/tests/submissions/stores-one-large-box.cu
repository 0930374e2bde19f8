// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/TILE_HEIGHT = 20/TILE_HEIGHT = 22/
// expect: exit 0
// The boxes hang far over the lower edge.
