// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: /TODO(3)/,/TODO(4)/ {
// change: s/^    if (threadIdx.x == 0) {/    if (threadIdx.x > 0 \&\& threadIdx.x % 32 == 0) {\
// change:       cp_async_bulk_shared_to_global(out + array.first_quad(tile), stages[stage],\
// change:                                      array.quads_in(tile) * sizeof(float4));\
// change:       tma_commit_group();\
// change:       tma_wait_until_read_pending<0>();\
// change:     }\
// change:     __syncthreads();\
// change: &/
// change: }
// expect: exit 1
// expect: says does not do what is asked: each tile has to be stored once
// One thread of every warp stores all of the tile.
