// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/a ^ y % ATOMS/a/
// expect: exit 1
// expect: says out[
// The map is swizzled, the index is not.
