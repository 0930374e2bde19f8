// attack: 1-bulk-copy-1d
// tries: includes a hidden case
// expect: exit 1
// expect: says does not compile
// expect: silent about sizes =
#include "@ROOT@/grader/hidden/lab9/1-bulk-copy-1d.cfg"
