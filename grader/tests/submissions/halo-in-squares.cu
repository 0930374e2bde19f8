// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/TILE_WIDTH = 176, TILE_HEIGHT = 14/TILE_WIDTH = 16, TILE_HEIGHT = 16/
// expect: exit 0
// A changed header: small tiles have large margins, and every plane is loaded once all the same.
