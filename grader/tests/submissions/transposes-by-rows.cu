// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/y = thr.* SIDE;/y = threadIdx.x \/ ATOMS, a = threadIdx.x % ATOMS;/
// change: /TODO(4)/d
// expect: exit 1
// expect: says in one access of `turned`
// expect: says .cu:50    turned[x][y] = atom.x;
// expect: edits turned[
// The lanes of a warp go along the rows: the atoms are read without conflict, and the words are written with
// many. The TODO of that step is gone, so only the access itself can lead to the line.
