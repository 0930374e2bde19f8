// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/(out + array.first_quad(tile), stages\[stage\],/(stages[stage], out + array.first_quad(tile),/
// expect: exit 1
// expect: says The destination of the bulk copy, 0x0, is not in global memory, and its source
// expect: says Are destination and source the right way round? The destination comes first.
// expect: edits cp_async_bulk_shared_to_global(stages
