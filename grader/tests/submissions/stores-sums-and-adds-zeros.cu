// submission: lab10/1-reduce
// after: grader/tests/submissions/writes-sums-and-adds-zeros.cu
// change: s/^#include "lab10.h"/#define BULK\n&/
// expect: exit 1
// expect: says the sums have to be written by reductions alone
// Sums are written by plain bulk stores; then the copy engine adds zeros to them.
