// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/TILE_WORDS = 22 \* WIDTH/TILE_WORDS = WIDTH/
// change: s/TURNS = 8, MOST_SHARES = 512/TURNS = 1000, MOST_SHARES = 1 << 20/
// expect: exit 1
// expect: says the copy engine may not do all the sums
// A block for each tile, of three rows where there are 132 columns.
