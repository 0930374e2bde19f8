// submission: 1-bulk-copy-1d
// after: solutions/lab9/1-bulk-copy-1d.cu
// expect: exit 0
// expect: says The exercise passes.
// expect: says ?[2J finished
#include <stdio.h>

// Correct, but it prints a lot: its output is taken neither for a verdict nor for an answer.
static int printed = printf("{\"verdict\":\"error\"}\n\033[2J finished \n");
