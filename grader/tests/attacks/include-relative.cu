// attack: 1-bulk-copy-1d
// tries: includes a solution by a relative path
// expect: exit 1
// expect: says does not compile
#include "../../../../../../../../../../../..@ROOT@/solutions/lab9/1-bulk-copy-1d.cu"
