// submission: lab10/3-halo-3d
// after: solutions/lab10/3-halo-3d.cu
// change: s/if (n + STAGES < mine.planes + 2) //
// expect: exit 1
// expect: says rule exit-before-landing
// expect: edits load_plane(s, in_map, mine, n + STAGES);
