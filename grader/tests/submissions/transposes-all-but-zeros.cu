// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/^    turned.x..y. = atom.x;/    if (atom.x != 0) &/
// expect: exit 1
// expect: says 2-transpose
// A zero is not written: what was in shared memory before stays.
