// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/TILE_WIDTH = 240/TILE_WIDTH = 4/
// change: s/TILE_HEIGHT = 20/TILE_HEIGHT = 1/
// change: s/THREADS = 480/THREADS = 4/
// change: s/MARGIN = 8/MARGIN = 4/
// expect: exit 0
// expect: says bandwidth ~0.02
// The smallest boxes: a large part of them hangs over the edges, which is no fault.
