// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/\(cp_async_bulk_shared_to_global(out + \)array.first_quad/\14 * array.first_quad/
// expect: exit 1
// expect: says it begins 1296 bytes past the end of `out`
// expect: says a pointer moves by elements, not by bytes
// expect: silent about as short as what is left
// expect: edits cp_async_bulk_shared_to_global(out + 4
