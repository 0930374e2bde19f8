// expect: fault global-race
// In: nothing. Out: anything. The same at the usual level: ptxas takes the loop away, or loads once before
// it.
#include "plain-poll-kept.cu"
