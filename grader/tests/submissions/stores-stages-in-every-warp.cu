// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: /TODO(3)/,/TODO(4)/s/^    if (threadIdx.x == 0) {/    if (threadIdx.x > 0 \&\& threadIdx.x % 32 == 0) {\n      cp_async_bulk_shared_to_global(out + first_quad(tile), stages[stage], quads_in(tile) * sizeof(float4));\n      tma_commit_group();\n      tma_wait_until_read_pending<0>();\n    }\n    __syncthreads();\n&/
// expect: exit 1
// expect: says does not do what is asked: each tile has to be stored once
// One thread of every warp stores all of the tile.
