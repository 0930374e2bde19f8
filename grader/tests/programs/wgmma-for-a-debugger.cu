// target: sm_90a
// nvcc: -G
// In: nothing. Out: `ok`. The products of wgmma-hoisted-arithmetic as nvcc -G compiles them: sums are copied
// to local memory right behind each product, which the assembler lets end before that.
#include "wgmma-hoisted-arithmetic.cu"
