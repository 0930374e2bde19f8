// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: /shared_to_global/{n;s/ \* sizeof(float4)//;}
// expect: exit 1
// expect: says 4-store-commit-groups breaks the rule bulk-size
// expect: says Is 42 a number of elements?
// expect: says are 336, of 16 bytes
// expect: edits cp_async_bulk_shared_to_global(out
