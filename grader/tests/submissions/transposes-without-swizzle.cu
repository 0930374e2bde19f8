// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/SWIZZLE_128B/SWIZZLE_NONE/
// change: s/a ^ y % ATOMS/a/
// expect: exit 1
// expect: says no two lanes of a warp may want different words of one bank
// expect: says bytes that shared memory could have moved but for bank conflicts:
// expect: says different words of bank
// expect: says in one access of `tile`
// expect: says Lanes 0 and 1 meet there: their addresses are 128 bytes apart
// expect: edits const int4 atom = tile[half][y][a]
// Nothing is swizzled: the atoms of a column lie in the same four banks. All results are right.
