// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/ init_barrier(/ barrier_init(/
// expect: exit 1
// expect: says identifier "barrier_init" is undefined
// expect: says Did you mean init_barrier? It is called so: init_barrier(uint64_t *bar, uint32_t
// expect: edits barrier_init(&loaded, 1);
