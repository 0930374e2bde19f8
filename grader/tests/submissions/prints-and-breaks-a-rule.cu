// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/#include "lab9.h"/&\n#include <stdio.h>/
// change: s/    tile\[i\] += 1;/&\
// change:     if (threadIdx.x == 0 \&\& blockIdx.x == 0) printf("length %u\\n", length);/
// change: /by each writer/d
// expect: exit 1
// expect: says breaks the rule proxy-fence
// expect: says It printed:
// expect: says length 1020
