// submission: 4-store-commit-groups
// after: solutions/lab9/4-store-commit-groups.cu
// change: s/#include "lab9.h"/&\n#include <cuda_fp16.h>/
// change: s/  const ring ring = {STAGES/  a = __half2float(__float2half(a));\n&/
// expect: exit 1
// expect: says computes a wrong result
// A factor of 16 bits is not the one that was asked for.
