// submission: lab8/4-load
// after: solutions/lab8/4-load.cu
// change: s/in + first, sizeof tile/in + first, TILE/
// expect: exit 1
// expect: says (512 is 4 times 128: is the copy's size a number of elements?)
// expect: edits cp_async_bulk_global_to_shared(tile, in + first, TILE, &loaded);
// The announcement is given and right; the copy's size is wrong.
