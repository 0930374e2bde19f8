// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/^    rows_of\[stage\] = rows;$/    if (false) rows_of[stage] = rows;/
// change: /load_tile(stages + stage/i rows_of[stage] = rows;
// expect: exit 1
// expect: says 3-phase-reuse breaks the rule shared-race
// expect: says Thread 256 writes after its arrival on the barrier `full[0]`
// expect: silent about Put __syncthreads() between
