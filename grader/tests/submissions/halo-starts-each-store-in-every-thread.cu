// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/(threadIdx.x == 0) tma_wait/(threadIdx.x < 4) tma_wait/
// change: s/^      cp_async_bulk_tensor_3d_shared_to_global/    }\n    if (threadIdx.x < 4) {\n&/
// change: s/^      if (n + STAGES/      if (threadIdx.x == 0 \&\& n + STAGES/
// expect: exit 1
// expect: says each tile has to be stored once
// Four threads store the whole tile.
