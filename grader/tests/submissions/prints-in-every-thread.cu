// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/^    tile\[i\] += 1;/&\n    printf("%u of %u: %u\\n", i, length, tile[i]);/
// expect: exit 1
// expect: says 1-bulk-copy-1d prints more than 1 MiB and was stopped
// expect: says Let one thread print: if (blockIdx.x == 0 && threadIdx.x == 0) printf(..);
// expect: edits printf(
#include <cstdio>
