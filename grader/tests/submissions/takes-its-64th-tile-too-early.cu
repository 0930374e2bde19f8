// submission: 3-phase-reuse
// after: solutions/lab9/3-phase-reuse.cu
// change: s/    wait(&full\[stage\], parity);/    wait(\&full[stage], turn < 64 ? parity : parity ^ 1);/
// asks: grade
// expect: exit 1
// A block's first rounds are right, as many as a word has bits, and more.
