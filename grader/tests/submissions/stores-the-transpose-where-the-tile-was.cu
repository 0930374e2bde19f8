// submission: lab10/2-transpose
// after: solutions/lab10/2-transpose.cu
// change: s/at\.y, at\.x, turned/at.x, at.y, turned/
// expect: exit 1
// expect: says out[
// Each tile is turned, but left at its place.
