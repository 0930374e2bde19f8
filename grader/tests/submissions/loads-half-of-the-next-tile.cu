// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/half \* HALF, at.y/half * SIDE, at.y/
// expect: exit 1
// expect: says the second half of a tile is loaded from where the next tile begins
// expect: edits TODO(2)
