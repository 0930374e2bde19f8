// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/shared_to_global(data + first, tile, bytes)/shared_to_global(tile, data + first, bytes)/
// expect: exit 1
// expect: says he destination comes first
// Some releases of nvcc refuse it and name no line; with others the store runs out of bounds.
