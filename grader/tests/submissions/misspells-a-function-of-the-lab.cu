// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/load_tile(stages/load_tiles(stages/
// expect: exit 1
// expect: says Did you mean load_tile?
