// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: /wait(&full/d
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule out-of-bounds
// expect: says const uint32_t rows = rows_of[stage];
// expect: says reads shared memory that nobody had written yet
// expect: says what it goes by is chance
