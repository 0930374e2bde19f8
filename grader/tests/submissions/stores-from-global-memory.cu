// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/shared_to_global\(.*\)(data + first, tile, /shared_to_global\1(tile, data + first, /
// expect: exit 1
// expect: says Are destination and source the right way round?
// What is left of either address may be anything.
