// submission: lab8/4-load
// after: solutions/lab8/4-load.cu
// change: s/tile, in + first/tile, in + blockIdx.x/
// expect: exit 1
// expect: says 4 bytes into `in`
// expect: says So look at what is added to its pointer
// expect: silent about treat the elements before it apart
// expect: edits cp_async_bulk_global_to_shared(tile, in + blockIdx.x, sizeof tile, &loaded);
// The array is aligned; what is added to its pointer is no multiple of 4 elements.
