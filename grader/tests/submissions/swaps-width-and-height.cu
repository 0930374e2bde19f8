// submission: 2-tiles-2d
// after: solutions/lab9/2-tiles-2d.cu
// change: s/in, width, height, pitch_bytes/in, height, width, pitch_bytes/
// expect: exit 1
// expect: says 2-tiles-2d breaks the rule out-of-bounds
// expect: says width, then height
