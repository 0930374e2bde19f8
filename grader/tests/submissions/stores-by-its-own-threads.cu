// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/cp_async_bulk_shared_to_global(.*/for (int i = 0; i < length; i++) data[first + i] = tile[i];/
// change: /TODO(5)/d
// change: s/(3 lines)$//
// expect: exit 1
// expect: says every element has to be written by a bulk copy
// expect: says writes global memory itself
// expect: edits data[first + i] = tile[i]
// One thread carries the tile back by itself. The step's TODO is gone.
