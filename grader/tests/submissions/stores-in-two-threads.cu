// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s|uint64_t full\[STAGES\];|uint64_t full[STAGES], given[STAGES];|
// change: s|init_barrier(&full\[stage\], 1);|init_barrier(\&given[stage], 1), &|
// change: s|^    __syncthreads();|&\
// change:     const uint32_t quads = array.quads_in(tile), half = quads / 2;\
// change:     float4 *const to = out + array.first_quad(tile);\
// change:     if (threadIdx.x == 64) {\
// change:       if (half) cp_async_bulk_shared_to_global(to, stages[stage], half * 16);\
// change:       tma_commit_group();\
// change:       if (n >= UNREAD) {\
// change:         tma_wait_until_read_pending<UNREAD>();\
// change:         arrive(\&given[(n - UNREAD) % STAGES]);\
// change:       }\
// change:     }|
// change: s|(out + array.first_quad(tile), stages\[stage\],$|(to + half, stages[stage] + half,|
// change: s|array.quads_in(tile) \* sizeof(float4));|(quads - half) * sizeof(float4));|
// change: s|load((n - UNREAD) % STAGES);|wait(\&given[(n - UNREAD) % STAGES], (n - UNREAD) / STAGES \& 1);\
// change:         &|
// change: s|^  if (threadIdx.x == 0) tma_wait|  if (threadIdx.x % 64 == 0) tma_wait|
// expect: exit 0
// expect: says The exercise passes
// Each of two threads stores half a tile, in groups of its own. One tells the other when its half was read.
