// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/n + STAGES < mine.planes + 2/n + STAGES < mine.planes/
// expect: exit 1
// expect: says arrived and no load was ever started.
// expect: edits n + STAGES < mine.planes
