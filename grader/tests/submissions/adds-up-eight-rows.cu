// submission: lab10/1-reduce
// after: solutions/lab10/1-reduce.cu
// change: s/TILE_WORDS = 22 \* WIDTH/TILE_WORDS = 8 * 132/
// change: s/TURNS = 8, MOST_SHARES = 512/TURNS = 1000, MOST_SHARES = 1 << 20/
// expect: exit 0
// Low tiles, and a block for each of them: more sums leave. The threads have still added up seven eighths of
// the numbers.
