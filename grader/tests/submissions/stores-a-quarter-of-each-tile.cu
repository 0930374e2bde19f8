// submission: lab8/6-store
// after: solutions/lab8/6-store.cu
// change: s/out + first, tile, sizeof tile/out + first, tile, TILE/
// expect: exit 1
// expect: says bytes stored by bulk copies: 1024 seen, at least 4096 asked for
// expect: edits cp_async_bulk_shared_to_global(out + first, tile, TILE);
// A quarter of each tile is stored, so the bytes seen and asked for say more than that a store is missing.
