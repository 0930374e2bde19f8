// attack: 1-bulk-copy-1d
// tries: expands a macro into 10^9 words
// expect: exit 1
// expect: says compile
#define A(x) x x x x x x x x x x
#define B(x) A(A(A(x)))
#define C(x) B(B(B(x)))
int bomb = 0 C(+1);
