// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// change: s/    tile\[i\] += 1;/&\
// change:     if (threadIdx.x == 0 \&\& blockIdx.x == 0) printf("on the device %u\\n", length);/
// change: s/return cudaGetLastError/printf("on the host\\033[2J %zu\\n", count); &/
// change: s/#include "lab9.h"/&\n#include <stdio.h>/
// expect: exit 0
// expect: says In the case "smallest" it printed:
// expect: says on the device 4
// expect: says on the host?[2J 4
// expect: says Next
// expect: says 2-tiles-2d.cu
// expect: says make lab9-2 SUBMISSION=
// Output of printf in a kernel is shown, also when the exercise passes.
