// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/  const int4 atom = .*/  const auto words = WORDS(tile[half]);/
// change: s/WORDS/reinterpret_cast<const volatile int32_t *>/
// change: s/atom\.x;/words[y * HALF + (a ^ y % ATOMS) * ATOM];/
// change: s/atom\.y;/words[y * HALF + (a ^ y % ATOMS) * ATOM + 1];/
// change: s/atom\.z;/words[y * HALF + (a ^ y % ATOMS) * ATOM + 2];/
// change: s/atom\.w;/words[y * HALF + (a ^ y % ATOMS) * ATOM + 3];/
// expect: exit 1
// expect: says no two lanes of a warp may want different words of one bank
// Single words: four lanes meet in each bank.
